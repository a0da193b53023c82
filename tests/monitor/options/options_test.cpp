#include "observe/epoch.hpp"
#include "support/harness.hpp"
#include "support/scratch.hpp"

#include <evenkeel/monitor/options.hpp>
#include <evenkeel/monitor/options_text.hpp>

#include <sys/stat.h>

namespace evenkeel::options_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

const Box unit_cube{{0, 0, 0}, {1, 1, 1}};

bool heavier(const LoadView& load) { return load.average > load.average_before; }
bool lighter(const LoadView& load) { return load.average < load.average_before; }

Options read(const std::string& text, const Options& base = {}) {
  return from_text(text, base, "run.options");
}

// Replaces the environment variables that set options, until the end of the scope.
class Environment {
 public:
  explicit Environment(const Variables& variables = {}) {
    for (const auto& [name, value] : before_) unsetenv(name.c_str());
    for (const auto& [name, value] : variables) {
      setenv(name.c_str(), value.c_str(), 1);
      names_.push_back(name);
    }
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() {
    for (const std::string& name : names_) unsetenv(name.c_str());
    for (const auto& [name, value] : before_) setenv(name.c_str(), value.c_str(), 1);
  }

 private:
  Variables before_ = environment_options();
  std::vector<std::string> names_;
};

// A file with this text. It is removed at the end of the scope. Each rank has its own file.
struct File : test::ScratchDirectory {
  explicit File(const std::string& text) : path(with_file("run.options", text)) {}
  const std::string path;
};

// --- Text ----------------------------------------------------------------------------------------

// All keys, each with the text of its default and of an unusual value.
struct Key {
  const char *name, *by_default, *unusual;
};
constexpr Key keys[] = {{"method", "hilbert", "tensor 4x1x12"},
                        {"trigger", "cost_aware", "every 1:99:7"},
                        {"box", "measured", "-1.5,0,1e-300,0.1,0.3333333333333333,1e+300"},
                        {"periodic", "none", "xz"},
                        {"wrap", "off", "on"},
                        {"rank_of_part", "none", "2,0,1"},
                        {"speeds", "none", "1,0.5,1e-09"},
                        {"memory", "none", "16GiB,1500MB,system,1025"},
                        {"cell_size", "none", "0.25,0,1e-09"},
                        {"least_width", "none", "0,0,3"},
                        {"target_lambda", "1.05", "0"},
                        {"least_objects", "0", "2147483647"},
                        {"staging_bytes", "268435456", "9223372036854775807"},
                        {"messages_in_flight", "8", "0"},
                        {"origins", "off", "on"},
                        {"shift_rounds", "0", "0"},
                        {"shift_penalty", "1", "1.25"},
                        {"floor_percent", "2", "99.9"},
                        {"least_coverage", "0", "1"},
                        {"horizon", "0", "9223372036854775807"},
                        {"expected_cost", "5", "0.1"},
                        {"epoch_steps", "0", "1000000"},
                        {"warmup_steps", "3", "0"},
                        {"cooldown_steps", "6", "2147483647"},
                        {"clock", "automatic", "thread_cpu"},
                        {"probe_share", "0.001", "0"},
                        {"type_costs", "robust", "minimum_norm"},
                        {"deterministic", "off", "on"},
                        {"strict_kernels", "off", "on"},
                        {"on_mpi_error", "error", "abort"},
                        {"watcher", "on", "off"},
                        {"patience", "60", "0.5"},
                        {"log", "decisions", "looks"},
                        {"name", "none", "fluid-2"},
                        {"journal", "none", "runs/#1=a b.jsonl"},
                        {"state", "none", "a.state"},
                        {"control", "none", "b=c"}};

std::string text_with(const char* Key::*value) {
  std::string text;
  for (const Key& key : keys) text += std::string(key.name) + " = " + key.*value + '\n';
  return text;
}

// The list of keys in errors.
std::string all_keys() {
  std::string text = "The options are ";
  for (const Key& key : keys) text += std::string(&key == keys ? "" : ", ") + key.name;
  return text;
}

TEST(OptionsText, OfTheDefaults) { EXPECT_EQ(to_text(Options{}), text_with(&Key::by_default)); }

Options unusual() {
  Options options;
  options.method = Tensor{.grid = {4, 1, 12}};
  options.cell_size = {0.25, 0, 1e-9};
  options.least_width = {0, 0, 3};
  options.wrap = true;
  options.rank_of_part = {2, 0, 1};
  options.speeds = {1, 0.5, 1e-9};
  options.memory = {0x1p34, 1.5e9, system_memory, 1025};
  options.trigger = Every{.start = 1, .stop = 99, .period = 7};
  options.box = Box{{-1.5, 0, 1e-300}, {0.1, 1.0 / 3, 1e300}};
  options.periodic = {true, false, true};
  options.target_lambda = 0;
  options.least_objects = std::numeric_limits<int>::max();
  options.staging_bytes = std::numeric_limits<std::int64_t>::max();
  options.messages_in_flight = 0;
  options.origins = true;
  options.shift.penalty = 1.25;
  options.floor_percent = 99.9;
  options.least_coverage = 1;
  options.horizon = std::numeric_limits<std::int64_t>::max();
  options.expected_cost = 0.1;
  options.epoch_steps = 1000000;
  options.warmup_steps = 0;
  options.cooldown_steps = std::numeric_limits<int>::max();
  options.clock = ClockKind::thread_cpu;
  options.probe_share = 0;
  options.type_costs = TypeCosts::minimum_norm;
  options.deterministic = true;
  options.strict_kernels = true;
  options.on_mpi_error = OnMpiError::abort;
  options.watcher = false;
  options.patience = 0.5;
  options.log = LogLevel::looks;
  options.name = "fluid-2";
  options.journal = "runs/#1=a b.jsonl";
  options.state = "a.state";
  options.control = "b=c";
  return options;
}

TEST(OptionsText, OfUnusualOnes) {
  const Options options = unusual();
  EXPECT_EQ(to_text(options), text_with(&Key::unusual));
  EXPECT_NO_THROW(check(options));
  EXPECT_TRUE(read(to_text(options)) == options);
}

TEST(OptionsText, OfLearnedSpeeds) {
  Options options;
  options.speeds = {learned_speeds};
  EXPECT_MENTIONS(to_text(options), "speeds = learned\n");
  EXPECT_NO_THROW(check(options));
  EXPECT_TRUE(read("speeds = learned") == options);
}

Options random_options(std::mt19937_64& random) {
  std::uniform_real_distribution<double> fraction(0, 1);
  const auto flip = [&] { return random() % 2 == 0; };
  const auto below = [&](unsigned limit) { return static_cast<int>(random() % limit); };
  Options options;
  const Method methods[] = {Hilbert{},
                            Morton{},
                            Snake{},
                            Tensor{},
                            RecursiveBisection{},
                            RecursiveBisection{{flip(), flip(), true}},
                            Voronoi{},
                            Mesh{},
                            Auto{fraction(random), 1e-8 * fraction(random), fraction(random)},
                            ByGraph{Effort::fast, 1 + fraction(random), fraction(random), 1e-7},
                            Staggered{.grid = {1 + below(9), 1 + below(9), 1 + below(9)}}};
  options.method = methods[random() % std::size(methods)];
  if (flip()) options.cell_size = {fraction(random), 0, fraction(random)};
  if (flip()) options.wrap = true;
  if (flip()) options.rank_of_part = {3, 1, 0, 2};
  if (flip()) options.speeds = {3, 1, 0.1, 2};
  if (flip()) options.memory = {1e9 * fraction(random) + 1, 0x1p40, system_memory, 5e12};
  if (flip()) options.least_width = {fraction(random), fraction(random), 0};
  if (flip()) options.trigger = Threshold{.lambda = 1 + fraction(random)};
  if (flip()) options.box = Box{{-fraction(random), -1, -2}, {fraction(random), 1e9, 5}};
  if (options.box) options.periodic = {flip(), flip(), flip()};
  options.target_lambda = flip() ? 0 : 1 + fraction(random);
  options.least_objects = below(100);
  options.staging_bytes = static_cast<std::int64_t>(random() >> 1);
  options.messages_in_flight = below(100);
  options.origins = flip();
  options.shift.penalty = 1 + fraction(random);
  options.floor_percent = 99 * fraction(random);
  options.least_coverage = fraction(random);
  options.epoch_steps = least_epoch_steps + below(100);
  options.warmup_steps = below(100);
  options.cooldown_steps = below(100);
  options.clock = static_cast<ClockKind>(below(3));
  options.probe_share = fraction(random);
  options.type_costs = static_cast<TypeCosts>(below(3));
  options.deterministic = flip();
  options.strict_kernels = flip();
  options.on_mpi_error = flip() ? OnMpiError::abort : OnMpiError::error;
  options.watcher = flip();
  if (flip()) options.name = std::string(1 + random() % 9, 'n');
  options.patience = flip() ? 0 : fraction(random);
  if (flip()) options.journal = std::string(1 + random() % 9, 'j') + ".jsonl";
  return options;
}

// Reading must overwrite all members, whatever their values were.
TEST(OptionsText, IsWithoutLoss) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    const Options options = random_options(random);
    ASSERT_NO_THROW(check(options));
    ASSERT_TRUE(read(to_text(options), random_options(random)) == options) << to_text(options);
  }
}

TEST(FromText, AppliesLinesToTheBase) {
  Options base;
  base.epoch_steps = 20;
  base.options_file = "elsewhere";
  const Options options = read(
      "# for the large run\r\n"
      "\n"
      "  trigger=every 10   # often\n"
      "\tjournal =  run#7.jsonl\t# a # within a word begins no comment\n"
      "#clock = wall\n"
      "warmup_steps = 5",
      base);
  Options expected = base;
  expected.trigger = Every{.period = 10};
  expected.journal = "run#7.jsonl";
  expected.warmup_steps = 5;
  EXPECT_TRUE(options == expected) << to_text(options);
  EXPECT_TRUE(read("", base) == base);
  EXPECT_TRUE(read("\n\n # nothing \n", base) == base);
}

TEST(FromText, EverySpellingOfAValue) {
  for (const char* on : {"on", "true", "yes", "1"})
    EXPECT_TRUE(read(std::string("deterministic = ") + on).deterministic);
  for (const char* off : {"off", "false", "no", "0"})
    EXPECT_FALSE(read(std::string("watcher = ") + off).watcher);
  EXPECT_EQ(read("clock = wall").clock, ClockKind::wall);
  EXPECT_EQ(read("clock = thread_cpu").clock, ClockKind::thread_cpu);
  EXPECT_EQ(read("type_costs = off").type_costs, TypeCosts::off);
  EXPECT_EQ(read("clock = automatic", unusual()).clock, ClockKind::automatic);
  EXPECT_EQ(read("journal = none", unusual()).journal, "");
  EXPECT_EQ(read("journal =", unusual()).journal, "");
  EXPECT_EQ(read("box = measured", unusual()).box, std::nullopt);
  EXPECT_EQ(read("box = 0, 0 ,0,1,1,1").box, unit_cube);
  EXPECT_EQ(read("box = -1,-2,3,4").box, (Box{{-1, -2, 0}, {3, 4, 0}}));
  EXPECT_EQ(read("box = 5,-2,5,4").box, (Box{{5, -2, 0}, {5, 4, 0}}));  // flat, not periodic
  using Axes = std::array<bool, 3>;
  EXPECT_EQ(read("periodic = none", unusual()).periodic, (Axes{false, false, false}));
  EXPECT_EQ(read("periodic = y").periodic, (Axes{false, true, false}));
  EXPECT_EQ(read("periodic = zx").periodic, (Axes{true, false, true}));
  EXPECT_EQ(read("periodic = xyz").periodic, (Axes{true, true, true}));
  EXPECT_EQ(read("target_lambda = 0").target_lambda, 0);
  EXPECT_EQ(read("target_lambda = 1").target_lambda, 1);
  EXPECT_EQ(read("floor_percent = 0").floor_percent, 0);
  EXPECT_EQ(read("shift_rounds = 8\nshift_penalty = 1.25").shift, (Shift{8, 1.25}));
  EXPECT_EQ(read("least_coverage = 0", unusual()).least_coverage, 0);
  EXPECT_EQ(read("epoch_steps = 6").epoch_steps, 6);
  EXPECT_EQ(read("epoch_steps = 0", unusual()).epoch_steps, 0);
  EXPECT_EQ(read("log = off").log, LogLevel::off);
  EXPECT_EQ(read("log = summary").log, LogLevel::summary);
  EXPECT_EQ(read("log = decisions", unusual()).log, LogLevel::decisions);
  EXPECT_EQ(read("state = none", unusual()).state, "");
  EXPECT_EQ(read("control = run.control").control, "run.control");
}

TEST(FromText, OnlyMethodsThatTheApplicationCanWorkWith) {
  const auto chosen = [](Methods methods, const std::string& method) {
    return to_text(
        read("method = " + method, Options{.method = Staggered{}, .methods = methods}).method);
  };
  const auto refused = [](Methods methods, const std::string& method) {
    return test::error_of(
        [&] { read("method = " + method, Options{.method = Staggered{}, .methods = methods}); });
  };
  for (const char* method : {"hilbert", "morton", "snake"}) {
    EXPECT_EQ(chosen(Methods::any, method), method);
    EXPECT_EQ(chosen(Methods::curves, method), method);
    EXPECT_EQ(
        refused(Methods::boxes, method),
        std::string("evenkeel: monitor/options: run.options, line 1: method: the method is '") +
            method +
            "', which this application cannot work with. Choose staggered, tensor or "
            "bisection.");
    EXPECT_NE(refused(Methods::grids, method), "");
  }
  for (const char* method : {"staggered", "tensor 2x2x2", "bisection", "bisection xz"}) {
    EXPECT_EQ(chosen(Methods::boxes, method), method);
    EXPECT_NE(refused(Methods::curves, method), "");
  }
  EXPECT_EQ(chosen(Methods::any, "graph fast 1.1"), "graph fast 1.1 0 0");
  EXPECT_EQ(chosen(Methods::any, "auto"), "auto");
  EXPECT_EQ(chosen(Methods::boxes, "auto 0.25"), "auto 0.25 0 0");
  for (const Methods methods : {Methods::curves, Methods::boxes, Methods::grids})
    for (const char* method : {"graph", "voronoi", "mesh"}) EXPECT_NE(refused(methods, method), "");
  EXPECT_EQ(chosen(Methods::grids, "tensor"), "tensor");
  EXPECT_NE(refused(Methods::grids, "bisection"), "");
  EXPECT_EQ(chosen(Methods::any, "bisection zyx"), "bisection");
  EXPECT_ERROR(check({.method = RecursiveBisection{{false, false, false}}}),
               "the method is a bisection that cuts no axis. Name at least one axis.");
  EXPECT_ERROR(check({.method = Hilbert{}, .methods = Methods::boxes}),
               "which this application cannot work with");
}

TEST(FromText, AValueThatIsNotAllowedIsAnError) {
  const auto expect = [](const std::string& key, const std::vector<std::string>& values,
                         const std::string& allowed) {
    for (const std::string& value : values) {
      const std::string error = test::error_of([&] { read("\n" + key + " = " + value); });
      EXPECT_EQ(error, "evenkeel: monitor/options: run.options, line 2: " + key + " is '" + value +
                           "'. Give " + allowed + ".");
    }
  };
  expect("method",
         {"", "peano", "Hilbert", "hilbert 2x2", "bisection 2x2", "bisection xx", "bisection w",
          "bisection x y", "bisection 0", "staggered 2x", "staggered -1x2", "tensor 2x2x2x2",
          "tensor 2,2", "tensor4", "auto x", "auto -1", "auto 1 2 3 4"},
         "hilbert, morton, snake or voronoi; bisection, with or without the axes to cut (bisection "
         "xy); staggered, tensor or mesh, with or without the number of domains along each axis "
         "(tensor 4x4x2; 0 leaves the choice to evenkeel); graph, with or without effort, target "
         "lambda, moving cost and seconds of an edge (graph fast 1.05 0 1e-7); or auto, with or "
         "without width of the halo, seconds of a ghost and of a neighbour (auto 0.1 1e-8 1e-6)");
  for (const char* key : {"cell_size", "least_width"})
    expect(key, {"", "-1", "1,2,3,4", "nan", "inf", "1,,2", "off"},
           "none, or one to three numbers of at least 0 with commas between them");
  expect("box", {"", "1", "0,0,1", "0,0,0,1,1", "0,0,0,1,1,1,1", "0,0,1,x", "0,,1,1", "0 0 1 1"},
         "measured, or the lower faces and then the upper ones, 4 or 6 numbers with commas between "
         "them");
  expect("periodic", {"", "w", "xx", "x,y", "on"},
         "none, or some of the letters x, y and z, each once");
  expect("rank_of_part", {"", "1", "0,0", "0,2", "-1,0", "0 1", "0,1,", "1.0,0"},
         "none, or the numbers of all ranks, each once, with commas between them");
  expect("speeds", {"", "0", "-1", "1,-1", "learned,1", "1 2", "1,2,", "nan", "inf", "1e308,1e308"},
         "none, or learned, or the speed of each rank: positive numbers with commas between them");
  expect("memory", {"", "0", "-1", "1,-1", "1,2,", "nan", "inf", "16 Gib", "GiB", "1e30", "0.5"},
         "none, or the bytes of all ranks or of each rank, with commas between them: system, or "
         "numbers of at least 1 such as 16GiB or 1.5GB");
  expect("wrap", {"", "x", "2"}, "on or off");
  expect("target_lambda", {"", "0.99", "-1", "nan", "inf", "1.1x", "1,1", "lambda"},
         "0 (off), or a lambda (greatest over average) of at least 1: 1.03 allows 3 % above the "
         "average");
  expect("least_objects", {"", "-1", "2147483648", "1.5"}, "a whole number of at least 0");
  expect("staging_bytes", {"", "-1", "9223372036854775808", "1e6", "1 MB"},
         "a whole number of at least 0 (no limit)");
  expect("messages_in_flight", {"", "-1", "2147483648"}, "a whole number of at least 0 (no limit)");
  expect("shift_rounds", {"", "-1", "1001", "1.5", "on"}, "0 (off), or a whole number up to 1000");
  expect("shift_penalty", {"", "0.9", "-1", "nan", "inf"}, "a number of at least 1");
  expect("floor_percent", {"", "-0.1", "100", "nan", "inf", "2 %"},
         "a number from 0 (off) to below 100");
  expect("least_coverage", {"", "-0.1", "1.01", "nan", "50 %"}, "a number from 0 (off) to 1");
  expect("epoch_steps", {"", "5", "-8", "1000001", "8.5", "99999999999", "8 steps"},
         "0 (as the trigger asks for), or a whole number from 6 to 1000000");
  expect("horizon", {"", "-1", "9223372036854775808", "1e6"},
         "a whole number of at least 0 (unknown)");
  expect("expected_cost", {"", "-1", "inf", "nan", "5 steps"}, "a number of at least 0");
  expect("log", {"", "on", "Summary", "2"}, "off, summary, decisions or looks");
  expect("warmup_steps", {"", "-1", "2147483648", "1e3"}, "a whole number of at least 0");
  expect("cooldown_steps", {"", "-1", "2147483648", "off"}, "a whole number of at least 0");
  expect("clock", {"", "cpu", "Wall"}, "automatic, wall or thread_cpu");
  expect("probe_share", {"", "-0.1", "1.1", "nan", "1 %"}, "a number from 0 (off) to 1");
  expect("type_costs", {"", "on", "least"}, "robust, minimum_norm or off");
  expect("on_mpi_error", {"", "Abort", "1"}, "error or abort");
  for (const char* key : {"origins", "deterministic", "strict_kernels", "watcher"})
    expect(key, {"", "On", "2", "maybe"}, "on or off");
}

TEST(FromText, MemoryMayHaveUnits) {
  const auto memory = [](const std::string& text) { return read("memory = " + text).memory; };
  using Numbers = std::vector<double>;
  EXPECT_EQ(memory("16 GiB , 2KiB,3MiB,1TiB"), (Numbers{0x1p34, 2048, 3 * 0x1p20, 0x1p40}));
  EXPECT_EQ(memory("1.5GB,2kB,3MB,1TB,7"), (Numbers{1.5e9, 2000, 3e6, 1e12, 7}));
  EXPECT_EQ(memory("system"), Numbers{system_memory});
}

TEST(FromText, WhatATriggerOrABoxObjectsTo) {
  EXPECT_ERROR(read("trigger = every 0"),
               "run.options, line 1: trigger: The trigger 'every 0' has a period of 0. Give");
  EXPECT_ERROR(
      read("trigger = sometimes"),
      "run.options, line 1: trigger: 'sometimes' is not a trigger. Give one of: cost_aware,");
  EXPECT_ERROR(read("\n\nbox = 0,0,0,1,-1,1"), "run.options, line 3: box: The box goes from 0");
  EXPECT_ERROR(read("box = 0,0,nan,1"), "run.options, line 1: box: The box goes from 0");
}

TEST(FromText, LongValuesAreCut) {
  const std::string error =
      test::error_of([] { read("clock = " + std::string(100000, 'w') + "\n"); });
  EXPECT_LT(error.size(), 400U);
  EXPECT_MENTIONS(error, "www...'. Give automatic, wall or thread_cpu.");
  EXPECT_LT(test::error_of([] { read(std::string(100000, 'k') + " = 1"); }).size(), 700U);
  EXPECT_LT(test::error_of([] { read("trigger = " + std::string(100000, 't')); }).size(), 600U);
}

// In an Error, a zero byte would end the text, and a line feed would end its line.
TEST(FromText, ControlCharactersAreNotShown) {
  EXPECT_ERROR(read(std::string("clock = a\0b\x1b", 12)), "clock is 'a?b?'. Give automatic");
  EXPECT_ERROR(read(std::string("trigger = a\0b", 13)), "'a?b' is not a trigger. Give one of");
}

TEST(FromText, AnUnknownKeyIsAnError) {
  const std::string error = test::error_of([] { read("clock = wall\n\ntriger = never\n"); });
  EXPECT_EQ(error, "evenkeel: monitor/options: run.options, line 3: 'triger' is not an option. " +
                       all_keys() + ". Did you mean 'trigger'?");
  EXPECT_ERROR(read("Trigger = never"), "Did you mean 'trigger'?");
  EXPECT_ERROR(read("refine_rounds = 5"), "'refine_rounds' is not an option.");
  EXPECT_ERROR(read("epoch-steps = 8"), "Did you mean 'epoch_steps'?");
  EXPECT_ERROR(read("EPOCH_STEPS = 8"), "Did you mean 'epoch_steps'?");
  EXPECT_ERROR(read("bx = measured"), "Did you mean 'box'?");
  EXPECT_ERROR(read("ax = measured"), "Use one of them.");
  EXPECT_ERROR(read("colour = red"), "Use one of them.");
}

TEST(FromText, WhatIsNoOptionWithAValueIsAnError) {
  EXPECT_ERROR(
      read("clock = wall\nwatcher\n"),
      "run.options, line 2: 'watcher' is not of the form key = value. Write key = value, and # "
      "before a comment.");
  EXPECT_ERROR(read("= wall"), "line 1: '= wall' is not of the form key = value");
  EXPECT_ERROR(read("# fine\nclock: wall"), "line 2: 'clock: wall' is not of the form key = value");
  EXPECT_ERROR(read("options_file = other"),
               "line 1: options_file cannot be set among options that are read.");
}

TEST(FromText, AKeyThatOccursTwiceIsAnError) {
  EXPECT_ERROR(read("clock = wall\nwatcher = on\nclock = wall\n"),
               "run.options, line 3: clock is given twice. Keep one of them.");
}

TEST(FromText, ACustomTriggerKeepsTheFunctionOfTheBase) {
  Options base;
  EXPECT_ERROR(read("trigger = custom", base),
               "run.options, line 1: trigger: The trigger 'custom' has no function. Give it in "
               "code, on all ranks");
  base.trigger = Custom{&heavier};
  EXPECT_TRUE(read("trigger = custom", base) == base);
  EXPECT_TRUE(read(to_text(base), base) == base);
  EXPECT_TRUE(read("trigger = never", base).trigger == Trigger(Never{}));
}

// --- Sense ---------------------------------------------------------------------------------------

template <class Value>
std::string error_with(Value Options::*member, const Value& value) {
  Options options;
  options.*member = value;
  return test::error_of([&] { check(options); });
}

TEST(CheckOptions, TheDefaultsAndTheirLimitsAreFine) {
  EXPECT_NO_THROW(check(Options{}));
  Options options = unusual();
  options.trigger = Threshold{.lambda = 1.1};
  EXPECT_NO_THROW(check(options));
}

TEST(CheckOptions, AValueThatIsNotAllowedIsAnError) {
  const std::string fine = "nothing was thrown";
  EXPECT_EQ(error_with(&Options::target_lambda, 0.5),
            "evenkeel: monitor/options: target_lambda is '0.5'. Give 0 (off), or a lambda "
            "(greatest over average) of at least 1: 1.03 allows 3 % above the average.");
  for (const double value : {-1.0, 0.99, nan, infinity})
    EXPECT_NE(error_with(&Options::target_lambda, value), fine);
  for (const double value : {-1.0, 100.0, nan, infinity})
    EXPECT_NE(error_with(&Options::floor_percent, value), fine);
  for (const double value : {-0.1, 1.1, nan, infinity})
    EXPECT_NE(error_with(&Options::least_coverage, value), fine);
  for (const int value : {-1, 5, 1000001})
    EXPECT_NE(error_with(&Options::epoch_steps, value), fine);
  EXPECT_NE(error_with(&Options::warmup_steps, -1), fine);
  EXPECT_NE(error_with(&Options::cooldown_steps, -1), fine);
  EXPECT_MENTIONS(error_with(&Options::trigger, Trigger(Threshold{.lambda = 1})), "lambda");
  EXPECT_MENTIONS(error_with(&Options::trigger, Trigger(Custom{})), "no function");
}

// The share above the average, 0.03, is not a lambda.
TEST(CheckOptions, TheTargetOfAGraphIsALambda) {
  const std::string refusal =
      "The target_lambda of the method graph is 0.03. Give a lambda (greatest over average) of at "
      "least 1: 1.03 allows 3 % above the average.";
  EXPECT_EQ(error_with(&Options::method, Method(ByGraph{.target_lambda = 0.03})),
            "evenkeel: core/graph: " + refusal);
  EXPECT_EQ(test::error_of([] { read("method = graph fast 0.03"); }),
            "evenkeel: monitor/options: run.options, line 1: method: " + refusal);
  EXPECT_NE(error_with(&Options::method, Method(ByGraph{.moving_cost = -1})), "nothing was thrown");
  EXPECT_EQ(error_with(&Options::method, Method(ByGraph{.target_lambda = 1})),
            "nothing was thrown");
}

// If a value did not fit the text, it would change on its way to the other ranks.
TEST(CheckOptions, ANameIsOneWord) {
  const std::string most(64, 'n');
  for (const char* name : {"fluid", "a-b_c.2", "", "a#b", "\xc3\xa4", most.c_str()})
    EXPECT_EQ(error_with(&Options::name, std::string(name)), "nothing was thrown") << name;
  const std::string more = most + 'n';
  for (const char* name : {"two words", "a:", "#a", " a", "a\n", "\t", more.c_str()})
    EXPECT_MENTIONS(error_with(&Options::name, std::string(name)),
                    "Give none, or a word of at most 64 characters without ':'.");
}

TEST(CheckOptions, AJournalHasItsNameInOneLine) {
  for (const char* path : {"run.jsonl", "a b.jsonl", "a#b", "", "none", "=", "\xc3\xa4.jsonl"})
    EXPECT_EQ(error_with(&Options::journal, std::string(path)), "nothing was thrown") << path;
  for (const std::string& path :
       {std::string("a\nb"), std::string("a\0b", 3), std::string(" a"), std::string("a\t"),
        std::string("#a"), std::string("a #b"), std::string("a\t#b"), std::string("a\r")})
    EXPECT_MENTIONS(error_with(&Options::journal, path),
                    "Give none, or a path in one line, without blanks at its ends");
}

TEST(CheckOptions, ABoxAndItsPeriodicAxes) {
  Options options;
  options.periodic = {false, true, false};
  EXPECT_ERROR(check(options),
               "monitor/options: periodic is 'y', but no box is given. Give the "
               "box whose opposite faces meet.");
  options.box = unit_cube;
  EXPECT_NO_THROW(check(options));
  options.box->upper[1] = 0;
  EXPECT_ERROR(check(options), "periodic");
  options.periodic = {true, false, false};
  EXPECT_NO_THROW(check(options));
  options.box->upper[2] = infinity;
  EXPECT_ERROR(check(options), "core/box");
  options.box->upper[2] = -1;
  EXPECT_ERROR(check(options), "core/box");
}

// --- The environment -----------------------------------------------------------------------------

TEST(EnvironmentOptions, AreThoseThatMeanAnOption) {
  const Variables given = {{"EVENKEEL_", "1"},
                           {"EVENKEEL_JOURNAL", "a=b"},
                           {"EVENKEEL_NO_SUCH_THING", "1"},
                           {"EVENKEEL_TRIGGER", "every 0:500:10"},
                           {"EVENKEEL_WATCHER", ""},
                           {"EVENKEEL_trigger", "1"}};
  const Environment environment(given);
  Variables found = environment_options();
  std::ranges::sort(found);
  EXPECT_EQ(found, given);
}

TEST(EnvironmentOptions, LeaveOutWhatOthersRead) {
  const std::vector<std::string> others(
      {"EVENKEEL_DEVICE_AWARE_MPI", "EVENKEEL_TEST_HUGE_BYTES", "EVENKEEL_TEST_",
       "EVENKEEL_NEWEST_ROOT", "EVENKEEL_DEBIAN_MIRROR", "EVENKEEL_ROOT", "EVENKEEL_DIR",
       "EVENKEEL_HOME", "EVENKEEL_PREFIX", "EVENKEEL_VERSION", "EVENKEEL_LIB", "EVENKEEL_INC",
       "EVENKEEL_BIN", "EVENKEEL", "EVENKEELS_CLOCK", "MY_EVENKEEL_CLOCK", "evenkeel_CLOCK"});
  Variables before;
  for (const std::string& name : others)
    if (const char* value = std::getenv(name.c_str())) before.emplace_back(name, value);
  {
    Variables variables;
    for (const std::string& name : others) variables.emplace_back(name, "1");
    const Environment environment(variables);
    EXPECT_TRUE(environment_options().empty());
    EXPECT_TRUE(resolve({}, environment_options()) == Options{});
  }
  for (const auto& [name, value] : before) setenv(name.c_str(), value.c_str(), 1);
}

// --- resolve -------------------------------------------------------------------------------------

TEST(Resolve, TheLaterOutvotesTheEarlier) {
  const File file("epoch_steps = 10\nwarmup_steps = 10\n");
  Options code;
  code.epoch_steps = 9;
  code.warmup_steps = 9;
  code.cooldown_steps = 9;
  code.options_file = file.path;
  const Options options = resolve(code, {{"EVENKEEL_EPOCH_STEPS", " 11 "}});
  EXPECT_EQ(options.epoch_steps, 11);
  EXPECT_EQ(options.warmup_steps, 10);
  EXPECT_EQ(options.cooldown_steps, 9);
  EXPECT_EQ(options.options_file, code.options_file);
  EXPECT_TRUE(resolve({}, {}) == Options{});
}

TEST(Resolve, AVariableNamesTheFile) {
  const File file("clock = wall\n");
  Options code;
  code.options_file = "/nowhere/at/all";
  EXPECT_EQ(resolve(code, {{"EVENKEEL_OPTIONS_FILE", file.path}}).clock, ClockKind::wall);
  EXPECT_EQ(resolve(code, {{"EVENKEEL_OPTIONS_FILE", ""}}).clock, ClockKind::automatic);
}

TEST(Resolve, AnEmptyFileChangesNothing) {
  const File file("");
  EXPECT_TRUE(resolve({}, {{"EVENKEEL_OPTIONS_FILE", file.path}}) == Options{});
}

// Two outputs to the same file would destroy each other. Different spellings can name the same
// file.
TEST(Resolve, NoTwoFilesAreOne) {
  const test::ScratchDirectory scratch;
  std::filesystem::create_directory(scratch.path_of("runs"));
  const std::string there = scratch.with_file("there", "clock = wall\n");
  std::filesystem::create_symlink(there, scratch.path_of("link"));
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {"new", "new"}, {"new", "runs/../new"}, {"there", "./there"}, {"there", "link"}};
  constexpr std::array files = {&Options::journal, &Options::state, &Options::control,
                                &Options::options_file};
  for (const auto& [one, other] : pairs)
    for (const auto first : files)
      for (const auto second : files) {
        Options options;
        options.*first = scratch.path_of(one);
        options.*second = scratch.path_of(other);
        if (!options.options_file.empty() && !std::filesystem::exists(options.options_file))
          continue;
        if (first == second)
          EXPECT_NO_THROW(resolve(options, {}));
        else
          EXPECT_ERROR(resolve(options, {}), ", which is the same file. Give each a file of its");
      }
  Options apart;
  apart.journal = scratch.path_of("journal");
  apart.state = scratch.path_of("state");
  apart.control = scratch.path_of("runs/journal");
  EXPECT_NO_THROW(resolve(apart, {{"EVENKEEL_OPTIONS_FILE", there}}));
  EXPECT_ERROR(resolve(apart, {{"EVENKEEL_JOURNAL", there}, {"EVENKEEL_OPTIONS_FILE", there}}),
               "journal is '" + there + "' and options_file is '" + there + "', which is the same");
}

// Opening the FIFO would wait for a writer.
TEST(Resolve, AFifoIsNoOptionsFile) {
  const test::ScratchDirectory scratch;
  const std::string fifo = scratch.path_of("fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_ERROR(resolve({}, {{"EVENKEEL_OPTIONS_FILE", fifo}}),
               "The options file '" + fifo + "' cannot be read.");
}

TEST(Resolve, AFileThatCannotBeReadIsAnError) {
  const std::string directory = std::filesystem::temp_directory_path();
  for (const std::string& path : {directory, directory + "/evenkeel/is/not/here"})
    EXPECT_ERROR(resolve({}, {{"EVENKEEL_OPTIONS_FILE", path}}),
                 "The options file '" + path + "' cannot be read. Name a file that exists");
}

TEST(Resolve, ErrorsNameTheirSource) {
  EXPECT_EQ(test::error_of([] {
              resolve({}, {{"EVENKEEL_EPOCH_STEPS", "3"}});
            }),
            "evenkeel: monitor/options: EVENKEEL_EPOCH_STEPS is '3'. Give 0 (as the trigger asks "
            "for), or a whole number from 6 to 1000000.");
  EXPECT_ERROR(resolve({}, {{"EVENKEEL_TRIGGER", "every 0"}}),
               "EVENKEEL_TRIGGER: The trigger 'every 0' has a period of 0");
  EXPECT_ERROR(resolve({}, {{"EVENKEEL_TRIGGER", ""}}), "EVENKEEL_TRIGGER: '' is not a trigger");
  EXPECT_ERROR(resolve({}, {{"EVENKEEL_TRIGGER", "custom"}}), "EVENKEEL_TRIGGER: The trigger");
  EXPECT_ERROR(resolve({}, {{"EVENKEEL_JOURNAL", "a\nb"}}), "EVENKEEL_JOURNAL is 'a?b'. Give");
  EXPECT_ERROR(resolve({}, {{"EVENKEEL_CLOCK", "wall"}, {"EVENKEEL_CLOCK", "wall"}}),
               "EVENKEEL_CLOCK is given twice");
  const File file("\nwatcher = perhaps\n");
  EXPECT_ERROR(resolve({}, {{"EVENKEEL_OPTIONS_FILE", file.path}}),
               file.path + ", line 2: watcher is 'perhaps'. Give on or off.");
  const File nested("options_file = x\n");
  EXPECT_ERROR(resolve({}, {{"EVENKEEL_OPTIONS_FILE", nested.path}}),
               "options_file cannot be set among options that are read.");
}

TEST(Resolve, AnUnknownVariableIsAnError) {
  const auto error_for = [](const std::string& name) {
    return test::error_of([&] { resolve({}, {{name, "1"}}); });
  };
  EXPECT_EQ(error_for("EVENKEEL_TRIGER"),
            "evenkeel: monitor/options: 'EVENKEEL_TRIGER' is not an option. " + all_keys() +
                ", options_file, in capitals and prefixed with EVENKEEL_. Did you mean "
                "'EVENKEEL_TRIGGER'?");
  EXPECT_MENTIONS(error_for("EVENKEEL_trigger"), "Did you mean 'EVENKEEL_TRIGGER'?");
  EXPECT_MENTIONS(error_for("EVENKEEL_OPTION_FILE"), "'EVENKEEL_OPTIONS_FILE'?");
  EXPECT_MENTIONS(error_for("EVENKEEL_LAMBDA"), "Use one of them.");
  EXPECT_MENTIONS(error_for("EVENKEEL_"), "Use one of them.");
  EXPECT_MENTIONS(error_for(""), "'' is not an option");
}

// One source may give the box, and another its periodic axes. Only the combination must be valid.
TEST(Resolve, IsCheckedAsAWhole) {
  const File file("periodic = x\n");
  Options code;
  code.options_file = file.path;
  EXPECT_ERROR(resolve(code, {}), "periodic is 'x', but no box is given");
  const Options options = resolve(code, {{"EVENKEEL_BOX", "0,0,0,1,1,1"}});
  EXPECT_EQ(options.box, unit_cube);
  EXPECT_TRUE(options.periodic[0]);
  EXPECT_ERROR(resolve(code, {{"EVENKEEL_BOX", "0,0,0,0,1,1"}}), "flat along x");
  Options bad;
  bad.epoch_steps = 5;
  EXPECT_ERROR(resolve(bad, {}), "epoch_steps is '5'");
  EXPECT_NO_THROW(resolve(bad, {{"EVENKEEL_EPOCH_STEPS", "6"}}));
}

// The file sets `never`, and the variable turns the application's own rule on again.
TEST(Resolve, ACustomTriggerIsAlwaysTheOneOfTheCode) {
  const File file("trigger = never\n");
  Options code;
  code.trigger = Custom{&heavier};
  code.options_file = file.path;
  EXPECT_TRUE(resolve(code, {}).trigger == Trigger(Never{}));
  EXPECT_TRUE(resolve(code, {{"EVENKEEL_TRIGGER", "custom"}}).trigger == Trigger(Custom{&heavier}));
}

// --- agree ---------------------------------------------------------------------------------------

// Options that differ between ranks as much as possible.
Options of_rank(int rank) {
  std::mt19937_64 random(static_cast<std::uint64_t>(rank));
  Options options = random_options(random);
  options.options_file = rank == 0 ? "" : "/no/such/file/" + std::to_string(rank);
  options.rank_of_part.clear();  // the number of ranks is not known
  options.speeds.clear();
  options.memory.clear();
  return options;
}

class Agree : public test::OnRanks {
 protected:
  const bool is_first = rank == 0;
  const Environment clean;
};

TEST_F(Agree, RankZeroHasItsSay) {
  const Options options = agree(communicator, of_rank(rank));
  Options expected = of_rank(0);
  expected.options_file = of_rank(rank).options_file;
  EXPECT_TRUE(options == expected) << to_text(options);
  EXPECT_TRUE(test::same_everywhere(communicator, to_text(options)));
}

// The options of other ranks may be invalid, and so may their environment. Only the first rank
// counts.
TEST_F(Agree, TheWordOfOtherRanksDoesNotCount) {
  const Environment environment(is_first ? Variables{{"EVENKEEL_EPOCH_STEPS", "12"}}
                                         : Variables{{"EVENKEEL_EPOCH_STEPS", "0"},
                                                     {"EVENKEEL_NO_SUCH_THING", "1"},
                                                     {"EVENKEEL_OPTIONS_FILE", "/no/such/file"}});
  Options code;
  if (!is_first) {
    code.target_lambda = nan;
    code.journal = "a\nb";
    code.box = unit_cube;
    code.periodic = {true, true, true};
    code.trigger = Custom{};
  }
  Options expected;
  expected.epoch_steps = 12;
  EXPECT_TRUE(agree(communicator, code) == expected);
}

TEST_F(Agree, ReadsTheFileOnRankZeroAlone) {
  const File file(is_first ? "clock = wall\n" : "clock = what?\n");
  const Environment environment({{"EVENKEEL_OPTIONS_FILE", file.path}});
  EXPECT_EQ(agree(communicator, {}).clock, ClockKind::wall);
}

TEST_F(Agree, AnErrorOfRankZeroIsTheSameEverywhere) {
  for (const Variables& variables :
       {Variables{{"EVENKEEL_TRIGER", "never"}}, Variables{{"EVENKEEL_TRIGGER", "every 0"}},
        Variables{{"EVENKEEL_OPTIONS_FILE", "/no/such/file"}}}) {
    const Environment environment(is_first ? variables : Variables{});
    EXPECT_ERROR_EVERYWHERE(agree(communicator, {}), "evenkeel: rank 0: monitor/options: ");
  }
  {
    const Environment environment(is_first ? Variables{{"EVENKEEL_TRIGER", "never"}} : Variables{});
    EXPECT_ERROR(agree(communicator, {}),
                 "control, options_file, in capitals and prefixed with EVENKEEL_. Did you mean "
                 "'EVENKEEL_TRIGGER'?");
  }
  EXPECT_NO_THROW(agree(communicator, {}));
}

TEST_F(Agree, ACustomRuleIsEachRanksOwn) {
  Options code;
  code.trigger = Custom{is_first ? &heavier : &lighter};
  EXPECT_TRUE(agree(communicator, code).trigger == code.trigger);
}

TEST_F(Agree, ACustomRuleThatARankLacksIsTheSameErrorEverywhere) {
  const int last = size - 1;
  Options code;
  if (rank != last || last == 0) code.trigger = Custom{&heavier};
  EXPECT_EQ(test::error_everywhere([&] { agree(communicator, code); }),
            last == 0 ? "nothing was thrown"
                      : "evenkeel: rank " + std::to_string(last) +
                            ": monitor/options: the options of rank 0, line 2: trigger: The "
                            "trigger 'custom' has no function. Give it in code, on all ranks: "
                            ".trigger = evenkeel::Custom{function}.");
}

}  // namespace
}  // namespace evenkeel::options_test
