// evenkeel info: shows how this evenkeel was built, and the resources that it finds on this
// machine.

#include "command.hpp"

#include <evenkeel/backends/config.hpp>

#include <nlohmann/json.hpp>

#include <memory>
#include <sstream>

namespace evenkeel::tool {

namespace {

std::string or_none(const std::string& text, const char* otherwise) {
  return text.empty() ? otherwise : text;
}

nlohmann::ordered_json or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

std::string as_json(const BuildInfo& info) {
  const nlohmann::ordered_json json = {
      {"version", info.version},
      {"commit", or_null(info.commit)},
      {"options", info.options},
      {"compiler", info.compiler},
      {"assertions", info.assertions},
      {"kokkos",
       {{"version", info.kokkos_version},
        {"spaces", info.spaces},
        {"default_space", info.default_space},
        {"default_host_space", info.default_host_space},
        {"device", info.device}}},
      {"mpi", {{"library", or_null(info.mpi)}, {"device_aware", info.device_aware_mpi}}},
      {"kokkos_kernels", or_null(info.kokkos_kernels_version)}};
  return json.dump(2) + '\n';
}

std::string as_text(const BuildInfo& info) {
  std::ostringstream text;
  text << "evenkeel        " << info.version << " (" << info.compiler << ", assertions "
       << info.assertions << ")\n";
  text << "commit          " << or_none(info.commit, "unknown") << '\n';
  text << "options         " << info.options << '\n';
  text << "Kokkos          " << info.kokkos_version << ": ";
  for (std::size_t i = 0; i < info.spaces.size(); ++i) text << (i ? ", " : "") << info.spaces[i];
  text << " (default " << info.default_space << ", on the host " << info.default_host_space
       << ")\n";
  text << "device          " << (info.device ? info.default_space : "none") << '\n';
  text << "MPI             " << or_none(info.mpi, "none: one process only") << '\n';
  if (!info.mpi.empty())
    text << "device-aware    " << (info.device_aware_mpi ? "yes" : "no: device memory is staged")
         << '\n';
  text << "Kokkos Kernels  " << or_none(info.kokkos_kernels_version, "not found") << '\n';
  return text.str();
}

}  // namespace

Run add_info(CLI::App& app) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("info", "Show how this evenkeel was built");
  command->add_flag("--json", *json, "Print JSON");
  add_examples(*command, {{"evenkeel info --json", "For a script, or a report of an error"}});
  return [json] {
    const BuildInfo info = build_info();
    return *json ? as_json(info) : as_text(info);
  };
}

}  // namespace evenkeel::tool
