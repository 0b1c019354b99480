#include "tests/contract/blob_store_suite.hpp"

#include "adapters/stores/blobs/folder_blobs.hpp"
#include "adapters/stores/memory/memory_blob_store.hpp"
#include "tests/support/temporary_folder.hpp"

namespace depositd {

namespace {

class memory_driver final : public blob_driver {
public:
  std::unique_ptr<blob_store> open() override {
    return make_memory_blobs();
  }
};

class folder_driver final : public blob_driver {
public:
  std::unique_ptr<blob_store> open() override {
    auto out = open_folder_blobs({.folder = folder_.path() / "blobs"});
    EXPECT_TRUE(out) << render(out.error());
    return out ? std::move(*out) : nullptr;
  }

private:
  temporary_folder folder_;
};

template <class Driver>
blob_candidate candidate(std::string name) {
  return {std::move(name), [] { return std::make_unique<Driver>(); }};
}

} // namespace

INSTANTIATE_TEST_SUITE_P(all, blob_store_suite,
                         ::testing::Values(candidate<memory_driver>("memory"),
                                           candidate<folder_driver>("folder")),
                         [](const auto& x) { return x.param.name; });

} // namespace depositd
