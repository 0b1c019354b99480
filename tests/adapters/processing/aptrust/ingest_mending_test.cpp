// Bags whose bytes are damaged where they are stored.

#include "tests/adapters/processing/aptrust/ingest_world.hpp"

namespace depositd::aptrust::testing {
namespace {

class ingest_mending : public ingest_world {};

TEST_F(ingest_mending, storage_that_lost_a_file_is_found_out) {
  auto job = job_of(receive(parts_of("photos", two_files)));
  ASSERT_EQ(run_through(job, "store"), "");
  ASSERT_FALSE(targets["far"]->remove("test.edu/photos"));
  EXPECT_EQ(run("check", job).says, verdict::retry);
}

TEST_F(ingest_mending, storage_that_keeps_other_bytes_is_found_out) {
  auto job = job_of(receive(parts_of("photos", two_files)));
  ASSERT_EQ(run_through(job, "store"), "");
  // As many bytes as before, and the same inventory.
  ASSERT_EQ(write_over("far", "b.txt", "sXcond\n"), 1u);
  std::ofstream{folder(job) / "staged" / "data" / "more" / "b.txt"} << "lost";
  EXPECT_EQ(run("check", job).says, verdict::failed)
    << "nobody has it whole any more";
}

TEST_F(ingest_mending, storage_that_cannot_be_mended_is_told) {
  auto job = job_of(receive(parts_of("photos", two_files)));
  ASSERT_EQ(run_through(job, "store"), "");
  targets["far"]->damaged = true;
  const auto out = run("check", job);
  EXPECT_EQ(out.says, verdict::retry);
  EXPECT_NE(out.reason.find("storage far"), std::string::npos) << out.reason;
  EXPECT_NE(out.reason.find("a bit has turned"), std::string::npos)
    << out.reason;
}

TEST_F(ingest_mending, what_was_damaged_is_whole_after_another_ingest) {
  auto first = job_of(receive(parts_of("photos", two_files)));
  ASSERT_EQ(run_through(first), "");
  ASSERT_EQ(write_over("far", "b.txt", "sXcond\n"), 1u);
  ASSERT_EQ(write_over("local", "a.txt", "cut"), 1u);
  // The same bytes in another bag; then a version that keeps one of them.
  auto again = job_of(receive(parts_of("photos", two_files, "Again")), "jid-2");
  ASSERT_EQ(run_through(again, "store"), "");
  const auto out = run("check", again);
  ASSERT_EQ(out.says, verdict::done) << out.reason;
  EXPECT_EQ(out.reason, "storage far: 1 damaged files were put there anew; "
                        "storage local: 1 damaged files were put there anew");
  for (const auto* name : {"local", "far"})
    EXPECT_FALSE(targets[name]->verify("test.edu/photos", 0)) << name;
  EXPECT_EQ(run_through(again, "check"), "");
}

TEST_F(ingest_mending, what_was_lost_is_there_after_another_ingest) {
  auto first = job_of(receive(parts_of("photos", two_files)));
  ASSERT_EQ(run_through(first), "");
  for (const auto& x : fs::recursive_directory_iterator{home.path() / "far"})
    if (x.path().filename() == "more") {
      fs::remove_all(x.path());
      break;
    }
  auto again = job_of(receive(parts_of("photos", two_files)), "jid-2");
  ASSERT_EQ(run_through(again, "check"), "");
  EXPECT_FALSE(targets["far"]->verify("test.edu/photos", 0));
}

} // namespace
} // namespace depositd::aptrust::testing
