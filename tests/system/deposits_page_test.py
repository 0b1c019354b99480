"""The depositors' page, as a browser sees it: log in, hand in, look."""

import http.client
import json

import harness
from harness import SystemTest, wait_until


class Browser:
    """Keeps the cookie and the token, as the page does."""

    def __init__(self, engine):
        self.address = engine.address("http")
        self.cookie = self.csrf = ""

    def ask(self, method, path, body=None, **headers):
        """(status, headers, bytes)."""
        connection = http.client.HTTPConnection(*self.address, timeout=60)
        try:
            connection.request(method, "/deposits" + path, body, {
                "Cookie": self.cookie, "X-CSRF-Token": self.csrf,
                **{k.replace("_", "-"): v for k, v in headers.items()}})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def log_in(self, name, password):
        status, headers, said = self.ask(
            "POST", "/session", json.dumps({"name": name,
                                            "password": password}),
            Content_Type="application/json")
        if status == 200:
            self.cookie = headers["Set-Cookie"].partition(";")[0]
            self.csrf = json.loads(said)["csrf"]
        return status

    def get(self, path):
        status, _, said = self.ask("GET", path)
        assert status == 200, (status, said)
        return json.loads(said)

    def upload(self, name, content):
        return self.ask("POST", f"/api/upload?file_name={name}", content)


class Page(SystemTest):
    def logged_in(self, engine, user):
        engine.add_user(user, f"secret-{user}")
        out = Browser(engine)
        self.assertEqual(out.log_in(user, f"secret-{user}"), 200)
        return out

    def test_a_file_is_handed_in_and_its_result_read(self):
        engine = self.start()
        ann = self.logged_in(engine, "ann")
        bob = self.logged_in(engine, "bob")
        status, _, said = ann.upload("x.xml", harness.a_deposit("x"))
        self.assertEqual(status, 200, said)
        path = f"/api/submissions/{json.loads(said)['id']}"

        def over():
            found = ann.get(path)
            return found if found["status"] == "completed" else None
        found = wait_until(over)
        self.assertFalse(found["failed"])
        self.assertIn("<success_count>1</success_count>", found["document"])
        own = ann.get("/api/mine")["submissions"]
        self.assertEqual([x["file_name"] for x in own], ["x.xml"])
        self.assertEqual(bob.get("/api/mine")["submissions"], [])
        self.assertEqual(bob.ask("GET", path)[0], 404)

    def test_what_was_acknowledged_is_there_after_a_kill(self):
        engine = self.start({"processors.count": 0})
        ann = self.logged_in(engine, "ann")
        status, _, said = ann.upload("x.xml", harness.a_deposit("x"))
        self.assertEqual(status, 200, said)
        engine.kill()
        engine.start()
        again = Browser(engine)
        self.assertEqual(again.log_in("ann", "secret-ann"), 200)
        own = again.get("/api/mine")["submissions"]
        self.assertEqual([x["id"] for x in own], [json.loads(said)["id"]])

    def test_who_waits_sees_the_place(self):
        engine = self.start({"processors.count": 0})
        ann = self.logged_in(engine, "ann")
        self.assertEqual(ann.upload("x.xml", harness.a_deposit("x"))[0], 200)
        queues = {x["queue"]: x for x in ann.get("/api/place")["queues"]}
        self.assertEqual(queues["metadata"]["waiting"], 1)

    def test_a_changed_password_ends_sessions(self):
        engine = self.start()
        ann = self.logged_in(engine, "ann")
        engine.ctl("user", "password", "ann", "--password-stdin",
                   text="another\n")
        wait_until(lambda: ann.ask("GET", "/api/mine")[0] == 401)
        self.assertEqual(ann.log_in("ann", "secret-ann"), 401)
        self.assertEqual(ann.log_in("ann", "another"), 200)

    def test_the_page_is_small_and_whole(self):
        engine = self.start()
        browser = Browser(engine)
        total = 0
        for path in ("", "/page/style.css", "/page/main.js", "/page/api.js",
                     "/page/dom.js", "/page/upload.js", "/page/list.js",
                     "/page/detail.js", "/page/check.js"):
            status, headers, said = browser.ask("GET", path,
                                                Accept_Encoding="gzip")
            self.assertEqual(status, 200, path)
            self.assertIn("script-src 'self'",
                          headers["Content-Security-Policy"])
            total += len(said)
        self.assertLess(total, 50_000)

    def test_manifests_are_checked(self):
        engine = self.start()
        ann = self.logged_in(engine, "ann")
        status, _, said = ann.ask("POST", "/api/check", b"no manifest\n")
        self.assertEqual(status, 422, said)
        self.assertFalse(json.loads(said)["ok"])
        self.assertEqual(
            Browser(engine).ask("POST", "/api/check", b"x")[0], 401)


if __name__ == "__main__":
    harness.main()
