#include "files/graph.hpp"

#include "support/harness.hpp"
#include "support/scratch.hpp"
#include "tools/npy.hpp"

namespace evenkeel::tool::graph_test {
namespace {

using test::error_of;
using test::npy_of;
using Integers = std::vector<std::int64_t>;
using Graph = test::OnRanks;

// Files that all ranks see. They are removed at the end of the scope.
class SharedFiles {
 public:
  explicit SharedFiles(const Communicator& communicator) : communicator_(communicator) {
    const int process = communicator.broadcast(static_cast<int>(getpid()), 0);
    path_ = std::filesystem::temp_directory_path() / ("evenkeel-graphs-" + std::to_string(process));
    if (communicator.rank() == 0) std::filesystem::create_directories(path_);
  }
  ~SharedFiles() {
    communicator_.barrier();
    if (communicator_.rank() == 0) std::filesystem::remove_all(path_);
  }
  SharedFiles(const SharedFiles&) = delete;
  SharedFiles& operator=(const SharedFiles&) = delete;

  std::string with(const std::string& name, const std::string& content) const {
    const std::string path = (path_ / name).string();
    if (communicator_.rank() == 0) std::ofstream(path, std::ios::binary) << content;
    communicator_.barrier();
    return path;
  }

 private:
  const Communicator& communicator_;
  std::filesystem::path path_;
};

// The columns of all ranks, on all ranks.
Integers all_columns(const Communicator& communicator, const GraphFile& graph) {
  return communicator.all_gather(std::span<const std::int64_t>(graph.columns)).values;
}

TEST_F(Graph, TheNameTellsTheFormat) {
  EXPECT_EQ(graph_format_of("a.graph"), GraphFormat::metis);
  EXPECT_EQ(graph_format_of("a,b.npy.graph"), GraphFormat::metis);
  EXPECT_EQ(graph_format_of("a.mtx"), GraphFormat::matrix_market);
  EXPECT_EQ(graph_format_of("o.npy,c.npy"), GraphFormat::npy);
  EXPECT_EQ(graph_format_of("o.npy,c.npy,w.npy"), GraphFormat::npy);
  EXPECT_EQ(files_of_graph("o.npy,c.npy"), (std::vector<std::string>{"o.npy", "c.npy"}));
  EXPECT_EQ(files_of_graph("a,b.mtx"), (std::vector<std::string>{"a,b.mtx"}));
  for (const std::string name :
       {"a.npy", "a.csv,b.npy", "a.npy,b.npy,c.npy,d.npy", "a", "", "a.npy,", ",.npy,"})
    EXPECT_EQ(error_of([&] { graph_format_of(name); }),
              "evenkeel: tools/files: The name '" + name +
                  "' does not say which format the graph has. Name a file that ends in .graph or "
                  ".mtx, or arrays as in offsets.npy,columns.npy.");
}

TEST_F(Graph, AllFormatsOnAnyNumberOfRanks) {
  const SharedFiles files(communicator);
  // A path of five vertices.
  const Integers columns = {1, 0, 2, 1, 3, 2, 4, 3};
  const std::string paths[] = {
      files.with("a.graph", "5 4\n2\n1 3\n2 4\n3 5\n4\n"),
      files.with("a.mtx",
                 "%%MatrixMarket matrix coordinate pattern symmetric\n5 5 4\n2 1\n3 2\n4 3\n5 4\n"),
      files.with("o.npy", npy_of<std::int64_t>(0, {0, 1, 3, 5, 7, 8})) + "," +
          files.with("c.npy", npy_of<std::int32_t>(0, {1, 0, 2, 1, 3, 2, 4, 3}))};
  for (const std::string& path : paths) {
    const GraphFile graph = read_graph(communicator, path);
    EXPECT_EQ(graph.vertices, 5) << path;
    EXPECT_EQ(graph.entries, 8) << path;
    EXPECT_EQ(all_columns(communicator, graph), columns) << path;
    const auto rows = static_cast<std::int64_t>(graph.rows());
    EXPECT_EQ(graph.first, communicator.exclusive_scan(rows)) << path;
    EXPECT_EQ(communicator.all_reduce(rows, Reduction::sum), 5) << path;
  }
}

TEST_F(Graph, ChangesAreCountedOnce) {
  const SharedFiles files(communicator);
  const GraphFile graph =
      read_graph(communicator,
                 files.with("a.mtx",
                            "%%MatrixMarket matrix coordinate real general\n5 5 9\n1 1 1\n5 5 1\n"
                            "1 5 1\n5 1 2\n1 4 3\n1 4 3\n2 5 0\n4 2 1\n3 3 1\n"));
  EXPECT_EQ(graph.entries, 6);
  EXPECT_EQ(graph.changes.loops, 3);
  EXPECT_EQ(graph.changes.duplicates, 1);
  EXPECT_EQ(graph.changes.one_way, 2);
  EXPECT_EQ(graph.changes.unequal, 1);
  EXPECT_EQ(graph.changes.zeros, 1);
}

TEST_F(Graph, AFailureOnOneRankIsOneOfAll) {
  const SharedFiles files(communicator);
  const std::string bad = files.with("a.graph", "5 4\n2\n1 3\n2 4\n3 5\n9\n");
  EXPECT_ERROR_EVERYWHERE(read_graph(communicator, bad), "Number 1 in line 6 of ");
  const std::string few = files.with("b.graph", "5 3\n2\n1 3\n2 4\n3 5\n4\n");
  EXPECT_ERROR_EVERYWHERE(read_graph(communicator, few), "8 neighbours, 2 too many.");
  EXPECT_ERROR(read_graph(communicator, files.with("c.graph", "") + ".graph"), "cannot be read");
  EXPECT_ERROR(read_graph(communicator, "a.npy"), "does not say which format");
}

TEST_F(Graph, RemarksInOneAndInMany) {
  EXPECT_TRUE(remarks_on({}).empty());
  EXPECT_EQ(remarks_on({1, 1, 1, 1, 1}),
            (std::vector<std::string>{"1 entry on the diagonal was left out.",
                                      "1 entry was added to another in the same place.",
                                      "1 edge had an entry on one side of the diagonal only.",
                                      "1 edge had two values, of which the greater counts.",
                                      "1 edge of value 0 was left out."}));
  EXPECT_EQ(remarks_on({2, 3, 4, 5, 6}).back(), "6 edges of value 0 were left out.");
}

}  // namespace
}  // namespace evenkeel::tool::graph_test
