// An adaptive mesh of columns, distributed by the graph of its nodes. Triangles are refined around
// a front that turns about the middle of the square; below each node is a column of 1 to 40 layers
// of water. Some elements at the front are poor, and no border between ranks may be near them.
//
//   mpirun -n 4 07_adaptive_mesh                          off and on, compared
//   mpirun -n 4 07_adaptive_mesh --weights layers         costs of nodes are given, not learned
//   mpirun -n 4 07_adaptive_mesh --when poor              no mesh has poor elements at borders
//   mpirun -n 4 07_adaptive_mesh --check tighten          checks each proposal before it moves
//   mpirun -n 4 07_adaptive_mesh --balance on --picture mesh.svg
//
// The mesh depends only on the front, and the order of sums does not depend on ranks. So the
// checksum is the same to the bit for any number of ranks, and with or without balancing.
// docs/adaptive_mesh.md explains the rest.

#include <evenkeel/evenkeel.hpp>

#include "adaptive_mesh/columns.hpp"
#include "adaptive_mesh/nodes.hpp"
#include "adaptive_mesh/picture.hpp"
#include "adaptive_mesh/quality.hpp"
#include "adaptive_mesh/report.hpp"
#include "adaptive_mesh/sharing.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

struct Settings {
  int finest = 18;
  std::int64_t steps = 480, steps_of_meshes = 8;
  double angle = 2.2;  // the front turns by this angle in the whole run
  bool runs_off = true, runs_on = true, tightens = false, knows_layers = false;
  bool keeps_poor_off = false;
  Guard guard = Guard::marks;
  std::int64_t least_nodes = 1;
  std::string picture = {};

  SharingOptions sharing(bool is_balanced) const {
    SharingOptions options{.monitor = {.horizon = steps,
                                       // Ranks may share cores, and this machine may have other
                                       // users.
                                       .clock = ek::ClockKind::thread_cpu},
                           .costs_layers = knows_layers,
                           .guard = guard,
                           .least_nodes = least_nodes};
    if (!is_balanced) options.monitor.trigger = ek::Never{};
    // With a target, the Balancer would keep parts that are even enough, even if a poor element is
    // at a border.
    if (keeps_poor_off) options.monitor.target_lambda = 0;
    return options;
  }
  double angle_at(std::int64_t step) const {
    return angle * static_cast<double>(step) / static_cast<double>(steps);
  }
  Mesh mesh_at(std::int64_t step) const {
    constexpr double reach = 0.03;
    const double way = Front::outer * angle_at(steps_of_meshes);
    Mesh mesh(finest, reach, way);
    mesh.front = Front::at(angle_at(step));
    return mesh;
  }
};

// --- The run -------------------------------------------------------------------------------------

template <class Sharing>
class Run {
 public:
  Run(const ek::Communicator& ranks, const Settings& settings, bool is_balanced)
      : ranks_(ranks),
        settings_(settings),
        keeps_poor_off_(is_balanced && settings.keeps_poor_off),
        nodes_(make_nodes(ranks, settings.mesh_at(0))),
        sharing_(ranks, settings.sharing(is_balanced)),
        on_columns_(sharing_.kernel("columns")),
        on_meshes_(sharing_.kernel("meshes")) {
    reconnect();
    Course::Step first;  // not counted
    note_move(0, first, [&] { return sharing_.rebalance(nodes_); });
  }

  Course operator()() {
    for (std::int64_t step = 0; step < settings_.steps; ++step) {
      Course::Step& took = course_.steps.emplace_back();
      took.of_all([&] { exchange_columns(ranks_, halo_, nodes_); });
      took.of(on_columns_,
              [&] { step_columns(nodes_, shares_, Front::at(settings_.angle_at(step))); });
      const bool is_last = (step + 1) % settings_.steps_of_meshes == 0;  // the last in this mesh
      if (is_last) go_on_to(settings_.mesh_at(step + 1), took);
      // A move is cheap after a change of the mesh, since most data is rebuilt then in any case.
      const auto balance = [&] { return sharing_.step(nodes_, {.may_move = is_last}); };
      if (!is_last) {
        took.of_all(balance);
        continue;
      }
      note_move(step + 1, took, balance);
      if (keeps_poor_off_ && course_.poor_at_border.back() > 0) {
        course_.poor_at_border.pop_back();
        note_move(step + 1, took, [&] { return sharing_.rebalance(nodes_); });
      }
    }
    sharing_.finish();
    course_.account = sharing_.account();
    course_.keeps_poor_off = keeps_poor_off_;
    course_.at_last = count_of(ranks_, nodes_);
    check(course_.at_last);
    course_.result = result_of(ranks_, nodes_);
    if (!settings_.picture.empty()) draw(ranks_, nodes_, settings_.picture);
    return course_;
  }

 private:
  void reconnect() {
    halo_ = connect(ranks_, sharing_.domains(), nodes_);
    judge(halo_, nodes_);
    shares_ = shares_of(nodes_);
  }

  void go_on_to(const Mesh& mesh, Course::Step& took) {
    took.of_all([&] { exchange_columns(ranks_, halo_, nodes_); });
    took.of(on_meshes_, [&] { adapt(nodes_, mesh); });
    took.of_all([&] { reconnect(); });
  }

  // Moves if that is worth it. After a move, rebuilds all that depends on the owners of nodes, and
  // records the move for the report.
  template <class Move>
  void note_move(std::int64_t step, Course::Step& took, const Move& move) {
    Rebalance done{step, {}, lambda_of(ranks_, nodes_), 1, count_of(ranks_, nodes_), {}};
    done.moved = took.of_all(move);
    course_.poor_at_border.push_back(done.before.poor_at_border);
    check(done.before);
    if (!done.moved) return;
    took.of_all([&] { reconnect(); });
    took.has_moved = true;
    done.lambda_after = lambda_of(ranks_, nodes_);
    done.after = count_of(ranks_, nodes_);
    course_.poor_at_border.back() = done.after.poor_at_border;
    check(done.after);
    course_.rebalances.push_back(done);
  }

  void check(const ElementCount& count) {
    const MeshCount expected = MeshCount::of(nodes_.mesh);
    course_.is_whole = course_.is_whole && count.elements == expected.triangles &&
                       count.nodes == expected.vertices;
  }

  const ek::Communicator& ranks_;
  const Settings& settings_;
  bool keeps_poor_off_;
  Nodes nodes_;
  ek::Halo halo_ = {};
  Shares shares_ = {};
  Course course_ = {};
  Sharing sharing_;
  ek::Kernel on_columns_, on_meshes_;
};

// Each of these functions returns true if it knows the option and the value is valid.
bool choose(std::string_view option, std::string_view value, Settings& settings) {
  if (option == "--balance" && (value == "on" || value == "off" || value == "both")) {
    settings.runs_off = value != "on";
    settings.runs_on = value != "off";
  } else if (option == "--weights" && (value == "learned" || value == "layers")) {
    settings.knows_layers = value == "layers";
  } else if (option == "--check" && (value == "once" || value == "tighten")) {
    settings.tightens = value == "tighten";
  } else if (option == "--when" && (value == "pays" || value == "poor")) {
    settings.keeps_poor_off = value == "poor";
  } else if (option == "--guard" && (value == "marks" || value == "weights" || value == "none")) {
    settings.guard = value == "marks"     ? Guard::marks
                     : value == "weights" ? Guard::weights
                                          : Guard::none;
  } else if (option == "--picture") {
    settings.picture = value;
  } else {
    return false;
  }
  return true;
}

bool set_number(std::string_view option, double value, Settings& settings) {
  const auto number = static_cast<long long>(value);
  if (option == "--least-nodes" && number > 0)
    settings.least_nodes = number;
  else if (option == "--level" && number > Mesh::coarsest && number <= Mesh::most_levels)
    settings.finest = static_cast<int>(number);
  else if (option == "--steps" && number > 0)
    settings.steps = number;
  else if (option == "--every" && number > 0)
    settings.steps_of_meshes = number;
  else if (option == "--angle" && value > 0)
    settings.angle = value;
  else
    return false;
  return true;
}

bool read(int argc, char** argv, Settings& settings) {
  for (int i = 1; i + 1 < argc; i += 2)
    if (!choose(argv[i], argv[i + 1], settings) &&
        !set_number(argv[i], std::atof(argv[i + 1]), settings))
      return false;
  return argc % 2 == 1;
}

int run(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  try {
    const ek::Communicator ranks = ek::Communicator::world();
    Settings settings;
    if (!read(argc, argv, settings)) {
      if (ranks.rank() == 0)
        std::fputs(
            "usage: 07_adaptive_mesh [--balance both|off|on] [--weights learned|layers]\n"
            "         [--when pays|poor] [--guard marks|weights|none] [--check once|tighten]\n"
            "         [--least-nodes N] [--level N] [--steps N] [--every N] [--angle A]\n"
            "         [--picture FILE.svg]\n",
            stderr);
      return 2;
    }
    Report report(ranks);
    for (const bool is_balanced : {false, true}) {
      if (!(is_balanced ? settings.runs_on : settings.runs_off)) continue;
      report.add(is_balanced ? "on" : "off", settings.tightens
                                                 ? Run<ByProposals>(ranks, settings, is_balanced)()
                                                 : Run<BySteps>(ranks, settings, is_balanced)());
    }
    report.print();
    return report.is_right() ? 0 : 1;
  } catch (const ek::Error& error) {  // the same on all ranks
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

int main(int argc, char** argv) {
#if EVENKEEL_HAS_MPI
  MPI_Init(&argc, &argv);
#endif
  const int status = run(argc, argv);
#if EVENKEEL_HAS_MPI
  MPI_Finalize();
#endif
  return status;
}
