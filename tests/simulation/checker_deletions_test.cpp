// The judge of deletions is judged.

#include "messages/values/orders.hpp"
#include "tests/simulation/tale.hpp"

#include <gtest/gtest.h>

namespace depositd::simulation {

namespace {

using names = std::set<std::string>;

class deleting : public ::testing::Test {
protected:
  static deletion_changed a_request(std::size_t objects = 1) {
    deletion_changed out;
    out.reference = "del-1";
    out.user = "u";
    for (std::size_t i = 0; i < objects; ++i)
      out.targets.push_back({"u/" + std::to_string(i), "vault"});
    out.asked_by = "ann";
    out.asked_us = 1;
    return out;
  }

  static deletion_changed agreed(deletion_changed x) {
    x.inst_approver = "bob";
    if (x.targets.size() > 1)
      x.aptrust_approver = "adm";
    return x;
  }

  static deletion_changed queued(deletion_changed x) {
    x.queued_us = 5;
    return x;
  }

  /// Somebody wants it to be so, and it is.
  void decide(const deletion_changed& x) {
    t.add(proposed{1, {event{x}}});
    t.write("", x);
  }

  item_id order(const std::string& uuid, const std::string& object,
                order_kind kind = order_kind::delete_item) {
    preservation_order what;
    what.kind = kind;
    what.object = object;
    batch_received come;
    come.id = ++ids;
    come.queue = order_pipeline(kind) + ".batch";
    come.info = make_order(what, {.uuid = uuid,
                                  .user = "u",
                                  .collection = "vault",
                                  .source = "engine",
                                  .now_us = 1})
                  .info;
    t.write("u", come);
    return come.id;
  }

  item_id order_of(std::size_t target) {
    return order(deletion_order_uuid("del-1", target),
                 "u/" + std::to_string(target));
  }

  void close(item_id batch) {
    batch_moved x;
    x.id = batch;
    x.status.state = batch_state::completed;
    t.write("u", x);
  }

  names wrong() const {
    findings found;
    check_deletions(t.told, found);
    names out;
    for (const auto& x : found)
      out.insert(x.what.substr(x.what.find(' ', 12) + 1));
    return out;
  }

  tale t;
  item_id ids = 0;
};

TEST_F(deleting, goes_by_consent_and_is_marked_when_all_is_queued) {
  t.write("", a_request(2));
  decide(agreed(a_request(2)));
  order_of(0);
  order_of(1);
  t.write("", queued(agreed(a_request(2))));
  EXPECT_EQ(wrong(), names{});
}

TEST_F(deleting, needs_all_who_have_to_agree) {
  t.write("", a_request(2));
  auto x = a_request(2);
  x.inst_approver = "bob";
  decide(x);
  order_of(0);
  EXPECT_EQ(wrong(), (names{"of u/0 deletes what not all agree on"}))
    << "an administrator has to, too";
}

TEST_F(deleting, is_agreed_to_by_who_said_so) {
  t.write("", a_request());
  t.write("", agreed(a_request()));
  order_of(0);
  t.write("", queued(agreed(a_request())));
  EXPECT_EQ(wrong(), names{"is approved by bob, who did not"});
}

TEST_F(deleting, is_none_that_nobody_asked_for) {
  order_of(0);
  EXPECT_EQ(wrong(), names{"of u/0 is of no request"});
}

TEST_F(deleting, is_of_what_was_asked_for) {
  t.write("", a_request());
  decide(agreed(a_request()));
  order(deletion_order_uuid("del-1", 0), "u/7");
  t.write("", queued(agreed(a_request())));
  EXPECT_EQ(wrong(), names{"of u/7 deletes something else"});
}

TEST_F(deleting, is_not_marked_before_all_is_queued) {
  t.write("", a_request(2));
  decide(agreed(a_request(2)));
  order_of(0);
  t.write("", queued(agreed(a_request(2))));
  EXPECT_EQ(wrong(),
            names{"is called queued, and there is no order for u/1"});
}

TEST_F(deleting, happens_once) {
  t.write("", a_request());
  decide(agreed(a_request()));
  close(order_of(0));
  order_of(0);
  t.write("", queued(agreed(a_request())));
  EXPECT_EQ(wrong(), names{"of u/0 came twice"});
}

TEST_F(deleting, happens) {
  t.write("", a_request());
  decide(agreed(a_request()));
  EXPECT_EQ(wrong(), names{"was agreed to and never queued"});
}

TEST_F(deleting, does_not_meet_another_order) {
  t.add(restore_wanted{"u/0"});
  const auto back = order("bid-1", "u/0", order_kind::restore_object);
  t.write("", a_request());
  decide(agreed(a_request()));
  order_of(0);
  t.write("", queued(agreed(a_request())));
  EXPECT_EQ(wrong(), names{"of u/0 meets batch 1"});
  close(back);
}

TEST_F(deleting, follows_another_order_that_is_finished) {
  t.add(restore_wanted{"u/0"});
  close(order("bid-1", "u/0", order_kind::restore_object));
  t.write("", a_request());
  decide(agreed(a_request()));
  order_of(0);
  t.write("", queued(agreed(a_request())));
  EXPECT_EQ(wrong(), names{});
}

TEST_F(deleting, restores_nothing_that_nobody_wants) {
  order("bid-1", "u/0", order_kind::restore_object);
  EXPECT_EQ(wrong(), names{"of u/0 was given by nobody"});
}

TEST_F(deleting, is_known_when_it_is_said_to_be) {
  t.add(deletion_known{"del-1"});
  t.write("", a_request());
  EXPECT_EQ(wrong(), names{"was said to be there too early"});
}

TEST_F(deleting, leaves_what_has_come_after_it_was_agreed_to) {
  auto x = agreed(a_request());
  x.inst_approved_us = 10;
  t.add(object_recorded{"u/0", 10});
  decide(x);
  order_of(0);
  t.write("", queued(x));
  t.add(object_deleted{"u/0", "del-1"});
  EXPECT_EQ(wrong(), names{});
  t.add(object_recorded{"u/0", 11});
  t.add(object_deleted{"u/0", "del-1"});
  EXPECT_EQ(wrong(), (names{"deletes of u/0 what came after it"}));
}

TEST_F(deleting, is_done_by_nobody_s_word_alone) {
  t.write("", a_request());
  t.add(object_deleted{"u/0", "del-1"});
  EXPECT_EQ(wrong(), (names{"deletes u/0, and not all agree"}));
}

TEST_F(deleting, is_not_in_the_way_of_what_is_given_back_for_being_due) {
  const auto back = [&] {
    batch_received come;
    come.id = ++ids;
    come.info.uuid = "bid-1";
    come.info.collection = "vault";
    come.info.pipeline = order_pipeline(order_kind::restore_object);
    come.info.type = word(order_kind::restore_object);
    come.info.title = "u/0";
    come.info.source = "engine";
    come.info.submitter = "reconciler spot_restore";
    t.write("u", come);
    close(ids);
  };
  back();
  EXPECT_EQ(wrong(), names{});
  back();
  EXPECT_EQ(wrong(), (names{"of u/0 came twice"}));
}

} // namespace

} // namespace depositd::simulation
