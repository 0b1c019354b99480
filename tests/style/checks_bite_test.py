"""Each check finds what it is for in a made-up tree, and passes a good one."""

import unittest

import documents
import layering
import style


def complaints(check, **files):
    """Runs a check on files named like `messages__types_hpp`."""
    return check({spelled(name): text for name, text in files.items()})


def spelled(name):
    stem, _, ending = name.rpartition("_")
    return stem.replace("__", "/") + "." + ending


class LayeringBites(unittest.TestCase):
    def direction(self, user, used):
        return layering.check_direction(
            {user: f'#include "{used}"\n', used: ""})

    def test_allows_the_direction_of_the_layers(self):
        for user, used in [
                ("actors/queue/a.cpp", "messages/values/types.hpp"),
                ("actors/queue/a.cpp", "actors/rules/ring/ring.hpp"),
                ("actors/users/a.cpp", "actors/queue/queue.hpp"),
                ("actors/shard/moves/a.cpp", "actors/shard/b.hpp"),
                ("adapters/stores/sqlite/a.cpp",
                 "messages/ports/journal_store.hpp"),
                ("adapters/stores/sqlite/a.cpp",
                 "adapters/stores/sqlite/b.hpp"),
                ("adapters/doors/crossref/a.cpp", "adapters/doors/http/b.hpp"),
                ("config/wiring.cpp", "adapters/stores/sqlite/a.hpp"),
                ("config/wiring.cpp", "actors/queue/queue.hpp"),
                ("tests/actors/a.cpp", "tests/support/b.hpp")]:
            self.assertEqual(self.direction(user, used), [], (user, used))

    def test_refuses_every_include_against_the_layers(self):
        for user, used in [
                ("messages/types.hpp", "actors/queue/queue.hpp"),
                ("messages/types.hpp", "adapters/stores/sqlite/a.hpp"),
                ("messages/types.hpp", "config/a.hpp"),
                ("actors/queue/a.cpp", "adapters/stores/sqlite/a.hpp"),
                ("actors/queue/a.cpp", "config/a.hpp"),
                ("actors/queue/a.cpp", "actors/users/user.hpp"),
                ("actors/shard/moves/a.cpp", "actors/cluster/a.hpp"),
                ("actors/rules/ring/a.cpp", "actors/queue/queue.hpp"),
                ("actors/rules/ring/a.cpp", "adapters/doors/http/a.hpp"),
                ("adapters/stores/sqlite/a.cpp", "actors/queue/queue.hpp"),
                ("adapters/stores/sqlite/a.cpp", "actors/rules/ring/a.hpp"),
                ("adapters/stores/sqlite/a.cpp",
                 "adapters/stores/segments/a.hpp"),
                ("adapters/doors/crossref/a.cpp", "adapters/doors/emodb/a.hpp"),
                ("adapters/stores/sqlite/a.cpp", "config/a.hpp"),
                ("adapters/stores/sqlite/a.cpp", "tests/support/a.hpp"),
                ("config/a.cpp", "tests/support/a.hpp")]:
            self.assertEqual(len(self.direction(user, used)), 1, (user, used))

    def test_refuses_an_include_that_is_not_spelled_from_the_root(self):
        found = complaints(layering.check_direction,
                           actors__a_cpp='#include "queue.hpp"\n',
                           actors__queue_hpp="")
        self.assertEqual(len(found), 1)

    def test_refuses_actors_clocks_and_files_in_rules(self):
        for text in ("#include <caf/actor.hpp>", "#include <chrono>",
                     "#include <fstream>", "#include <spdlog/spdlog.h>",
                     "#include <sys/stat.h>", "#include <random>",
                     '#include "messages/actors.hpp"',
                     '#include "messages/ports/blob_store.hpp"'):
            found = complaints(layering.check_rules_are_pure,
                               actors__rules__ring__a_cpp=text)
            self.assertEqual(len(found), 1, text)

    def test_refuses_caf_that_reaches_rules_through_a_value_header(self):
        found = layering.check_rules_are_pure({
            "actors/rules/ring/a.cpp": '#include "messages/values/a.hpp"',
            "messages/values/a.hpp": '#include "messages/values/deep.hpp"',
            "messages/values/deep.hpp": "#include <caf/typed_actor.hpp>"})
        self.assertEqual(len(found), 1)

    def test_allows_values_in_rules(self):
        found = layering.check_rules_are_pure({
            "actors/rules/ring/a.cpp": '#include "messages/values/a.hpp"\n'
                                       "#include <vector>",
            "messages/values/a.hpp": "#include <string>"})
        self.assertEqual(found, [])

    def test_refuses_libraries_of_the_world_outside_adapters(self):
        check = layering.check_libraries_stay_behind_ports
        bad = "#include <sqlite3.h>"
        self.assertEqual(len(check({"actors/a.cpp": bad})), 1)
        self.assertEqual(len(check({"messages/a.hpp": bad})), 1)
        self.assertEqual(check({"adapters/sqlite/a.cpp": bad}), [])

    def test_finds_a_source_that_is_not_built(self):
        check = layering.check_cmake_lists_every_source
        tree = {"actors/queue.cpp": "", "actors/ring.cpp": "",
                "actors/CMakeLists.txt": "SOURCES queue.cpp spring.cpp"}
        self.assertEqual(check(tree),
                         ["actors/ring.cpp: no CMakeLists.txt names it"])

    def test_finds_a_folder_that_is_no_library(self):
        check = layering.check_every_folder_is_a_library
        for good in ("depositd_library(a SOURCES a.cpp)\n",
                     "add_subdirectory(http)\n"):
            self.assertEqual(check({"adapters/doors/CMakeLists.txt": good}), [])
        self.assertEqual(len(check({"adapters/doors/CMakeLists.txt": ""})), 1)

    def test_finds_a_room_outside_the_order(self):
        tree = {f"actors/{room}/a.cpp": "" for room in layering.ROOMS}
        self.assertEqual(layering.check_rooms_are_in_order(tree), [])
        tree["actors/attic/a.cpp"] = tree.pop("actors/queue/a.cpp")
        self.assertEqual(len(layering.check_rooms_are_in_order(tree)), 2)


class StyleBites(unittest.TestCase):
    def assert_bites(self, check, path, bad, good):
        self.assertEqual(len(check({path: bad})), 1, bad)
        self.assertEqual(check({path: good}), [], good)

    def test_white_space(self):
        check = style.check_white_space
        self.assert_bites(check, "actors/a.cpp", "\tint a;\n", "  int a;\n")
        self.assert_bites(check, "README.md", "text \n", "text\n")

    def test_columns(self):
        self.assert_bites(style.check_columns, "actors/a.cpp",
                          "x" * 81, "x" * 80)

    def test_left_overs(self):
        for word in ("TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"):
            self.assert_bites(style.check_left_overs, "actors/a.cpp",
                              f"// {word}: later", "// Later, not now")

    def test_machine_paths(self):
        check = style.check_no_machine_paths
        self.assert_bites(check, "actors/a.cpp", '"/' + 'work/data"',
                          '"../shared/data"')
        self.assert_bites(check, "scripts/run", "rm /" + "tmp/a",
                          'rm "${TMPDIR:-/' + 'tmp}/a"')
        self.assertEqual(check({"tests/a.cpp": '"/' + 'tmp/x"'}), [])

    def test_registry_hosts(self):
        self.assert_bites(style.check_no_registry_hosts, "config/a.yaml",
                          "url: https://doi.cross" + "ref.org/servlet",
                          "xmlns=http://www.cross" + "ref.org/schema/5.3.1")

    def test_file_length(self):
        self.assert_bites(style.check_file_length, "actors/a.cpp",
                          "\n" * (style.FILE_LINES_MAX + 1),
                          "\n" * style.FILE_LINES_MAX)

    def test_function_length(self):
        def function(lines):
            return ("namespace x {\n\nvoid act(int a,\n         int b) {\n"
                    + "  go();\n" * (lines - 3) + "}\n\n}\n")
        self.assert_bites(style.check_function_length, "actors/a.cpp",
                          function(style.FUNCTION_LINES_MAX + 1),
                          function(style.FUNCTION_LINES_MAX))

    def test_function_length_ignores_declarations(self):
        text = "int a();\n" + "int b();\n\n" * 90 + "void c() {\n}\n"
        self.assertEqual(style.check_function_length({"a/a.cpp": text}), [])

    def test_function_length_ignores_classes(self):
        text = ("class a {\npublic:\n" + "  int b() {\n  }\n" * 90
                + "private:\n  int c;\n};\n")
        self.assertEqual(style.check_function_length({"a/a.cpp": text}), [])

    def test_header_guards(self):
        self.assert_bites(style.check_headers_are_guarded, "actors/a.hpp",
                          "struct a {};\n", "#pragma once\n")

    def test_sleeps(self):
        check = style.check_tests_do_not_sleep
        self.assert_bites(check, "tests/a.cpp",
                          "std::this_thread::sleep_for(1s);", "latch.wait();")
        self.assertEqual(check({"tests/a.cpp": "usleep(1); // sleeps: why"}),
                         [])

    def test_untested_errors(self):
        errors = ("enum class ec : std::uint8_t {\n  /// A.\n  first = 1,\n"
                  "  /// B, really.\n  second,\n};\n")
        tree = {"messages/values/errors.hpp": errors,
                "tests/a.cpp": "EXPECT_EQ(x, ec::first);"}
        self.assertEqual(style.check_every_error_is_tested(tree), [
            "messages/values/errors.hpp: no test mentions ec::second"])
        tree["tests/a.cpp"] += "ec::second"
        self.assertEqual(style.check_every_error_is_tested(tree), [])


class DocumentsBite(unittest.TestCase):
    def test_events_without_their_line(self):
        check = documents.check_every_event_has_its_line
        tree = {documents.EVENTS: "using event = std::variant<\n  a_b, c>;\n",
                documents.RECORDS: "| kind | event |\n| 0 | `a_b` | id |\n"
                                   "| 1 | `c` | id |\n"}
        self.assertEqual(check(tree), [])
        tree[documents.RECORDS] = "| 0 | `a_b` | id |\n| 2 | `c` | id |\n"
        self.assertEqual(len(check(tree)), 2)
        tree[documents.RECORDS] = "| 0 | `a_b` | id |\n"
        self.assertEqual(check(tree), [
            documents.RECORDS + ": no line | 1 | `c` |"])

    def test_numbers_in_headings_of_decisions(self):
        check = documents.check_decisions_have_plain_headings
        path = "docs/decisions/0001-a.md"
        for text in ("# 35. Answers\n", "# 0001: Answers\n", "Answers\n"):
            self.assertEqual(len(check({path: text})), 1, text)
        self.assertEqual(check({path: "# Answers\n"}), [])

    def test_decisions_that_are_not_there(self):
        check = documents.check_decisions_are_there
        tree = {"docs/decisions/0001-a.md": "# A\n"}
        for text in ("see docs/decisions/0002", "[b](0003-b.md)", "as (0009)",
                     "decisions/0001-b.md"):
            self.assertEqual(len(check({**tree, "docs/B.md": text})), 1, text)
        for text in ("see docs/decisions/0001", "[a](0001-a.md)", "(0001)",
                     "decisions/0001-a.md", "000123", "(1999)"):
            self.assertEqual(check({**tree, "docs/B.md": text}), [], text)

    def test_files_that_are_not_there(self):
        check = documents.check_named_files_are_there
        tree = {"actors/b/c.cpp": "", "actors/b/c.hpp": ""}
        for text in ("`actors/c`", "`adapters/b/c.cpp`", "`d.hpp`"):
            self.assertEqual(len(check({**tree, "docs/B.md": text})), 1, text)
            self.assertEqual(check({**tree, "docs/FOUND.md": text}), [], text)
        for text in ("`actors/b`", "`actors/b/c`", "`b/c.cpp`", "`c.hpp`",
                     "actors/c", "`actors/NAME`"):
            self.assertEqual(check({**tree, "docs/B.md": text}), [], text)

    def test_tables_that_text_has_got_into(self):
        check = documents.check_tables_are_whole
        for text in ("a\n| b |\n", "| a |\nb\n"):
            self.assertEqual(len(check({"docs/B.md": text})), 1, text)
            self.assertEqual(check({"b.cpp": text}), [], text)
        for text in ("a\n\n| b |\n| c |\n\nd\n", "a\n  | b\n"):
            self.assertEqual(check({"docs/B.md": text}), [], text)

    def test_links_that_lead_nowhere(self):
        check = documents.check_links_lead_somewhere
        tree = {"docs/a/C.md": "# One more `x`: y\n\n```\n# No heading\n```\n"}
        for text in ("[a](C.md)", "[a](a/C.md#one)", "[a](#b)", "[a](../a.py)",
                     "[a](a/C.md#no-heading)"):
            self.assertEqual(len(check({**tree, "docs/B.md": text})), 1, text)
        for text in ("[a](a/C.md)", "[a](a/C.md#one-more-x-y)", "[a](a/)",
                     "# B\n[a](#b)", "`[a](C.md)`", "```\n[a](C.md)\n```",
                     "[a](https://b.c/d.md)", "![a](pictures/b.png)"):
            self.assertEqual(check({**tree, "docs/B.md": text}), [], text)


if __name__ == "__main__":
    unittest.main()
