#include "files/printable.hpp"
#include "watch/view.hpp"

#include <array>
#include <charconv>

namespace evenkeel::tool::watch {

namespace {

std::string shortest(double number) {
  std::array<char, 64> text;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr};
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '\n') {
      result += "\\n";
      continue;
    }
    if (letter == '\\' || letter == '"') result += '\\';
    result += letter;
  }
  return result;
}

class MetricsText {
 public:
  explicit MetricsText(const std::string& run) : run_("run=\"" + escaped(printable(run)) + '"') {}

  MetricsText& begin(const char* name, const char* type, const char* help) {
    name_ = std::string("evenkeel_") + name;
    text_ += "# HELP " + name_ + ' ' + help + "\n# TYPE " + name_ + ' ' + type + '\n';
    return *this;
  }
  MetricsText& value(double number, const std::string& labels = "") {
    text_ +=
        name_ + '{' + run_ + (labels.empty() ? "" : ',' + labels) + "} " + shortest(number) + '\n';
    return *this;
  }
  std::string text() && { return std::move(text_); }

 private:
  std::string run_, name_, text_;
};

}  // namespace

std::string metrics_of(const View& view) {
  MetricsText all(view.name);
  const auto whole = [](std::int64_t number) { return static_cast<double>(number); };
  all.begin("ranks", "gauge", "Ranks of the run.").value(whole(view.ranks));
  all.begin("steps_total", "counter", "Steps that the run has made.").value(whole(view.step));
  all.begin("looks_total", "counter", "Number of looks at the load.").value(whole(view.looks));
  all.begin("rebalances_total", "counter",
            "Rebalances that made new domains, without the first distribution.")
      .value(whole(view.rebalances));
  all.begin("unchanged_rebalances_total", "counter", "Rebalances that changed nothing.")
      .value(whole(view.unchanged));
  all.begin("paused", "gauge", "1 if the trigger is paused until the command resume.")
      .value(view.is_paused ? 1 : 0);
  all.begin("finished", "gauge", "1 if the run has ended.")
      .value(view.summary || view.is_unfinished ? 1 : 0);
  if (view.looks == 0) return std::move(all).text();
  all.begin("lambda", "gauge", "Greatest load over the average, at the last look.")
      .value(view.lambda);
  all.begin("imbalance_percent", "gauge", "Imbalance at the last look, 0 to 100.")
      .value(view.imbalance_percent);
  all.begin("step_seconds", "gauge", "Seconds in kernels per step since the look before.")
      .value(view.slowest, "of=\"slowest\"")
      .value(view.average, "of=\"average\"");
  all.begin("saved_seconds", "gauge", "Seconds that rebalances have saved, net of their cost.")
      .value(view.account.saved());
  all.begin("rebalance_seconds_total", "counter", "Seconds that rebalances have taken.")
      .value(view.account.spent());
  if (view.slow)
    all.begin("slow_rank_percent", "gauge",
              "By how much a rank is slower than the others, whatever its work is.")
        .value(view.slow.percent, "rank=\"" + std::to_string(view.slow.rank) + '"');
  if (!view.loads.empty()) {
    all.begin("rank_step_seconds", "gauge", "Seconds in kernels per step of each rank.");
    for (std::size_t r = 0; r < view.loads.size(); ++r)
      all.value(view.loads[r], "rank=\"" + std::to_string(r) + '"');
  }
  if (const RankMemory& fullest = view.memory.fullest; fullest.is_known()) {
    const auto of_rank = [](std::int64_t rank) { return "rank=\"" + std::to_string(rank) + '"'; };
    all.begin("fullest_bytes", "gauge", "Bytes of objects on the fullest rank.")
        .value(whole(fullest.bytes), of_rank(fullest.rank));
    all.begin("fullest_limit_bytes", "gauge", "Limit of memory of the fullest rank.")
        .value(whole(fullest.limit), of_rank(fullest.rank));
    if (const RankMemory& next = view.memory.soonest; next.steps_left != RankMemory::never)
      all.begin("steps_until_full", "gauge", "Steps until a rank is full, at its growth.")
          .value(whole(next.steps_left), of_rank(next.rank));
  }
  return std::move(all).text();
}

}  // namespace evenkeel::tool::watch
