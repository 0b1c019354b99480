"""The API of operators over HTTP: who gets in, commands, refusals, streams."""

import concurrent.futures
import http.client
import json
import ssl
import time

from authority import Authority
from engine import EngineFailed
from harness import ROOT, SystemTest, main, wait_until

PASSWORD = "correct horse"


class Api:
    """One operator's way in: a session, a token, or nothing."""

    def __init__(self, address, context=None):
        self.address = address
        self.context = context
        self.cookie = None
        self.csrf = None
        self.token = None

    def line(self):
        if self.context:
            return http.client.HTTPSConnection(
                *self.address, timeout=60, context=self.context)
        return http.client.HTTPConnection(*self.address, timeout=60)

    def headers(self, more):
        out = {}
        if self.cookie:
            out["Cookie"] = self.cookie
            out["X-CSRF-Token"] = self.csrf
        if self.token:
            out["Authorization"] = "Bearer " + self.token
        return {**out, **more}

    def ask(self, method, path, body=None, **more):
        """(status, document, headers)"""
        line = self.line()
        if body is not None and not isinstance(body, (str, bytes)):
            body = json.dumps(body)
        try:
            line.request(method, "/api/v1/" + path, body, self.headers(more))
            answer = line.getresponse()
            text = answer.read()
        finally:
            line.close()
        return (answer.status, json.loads(text) if text else None,
                answer.headers)

    def get(self, path, **more):
        return self.ask("GET", path, **more)[:2]

    def post(self, path, body=None, **more):
        return self.ask("POST", path, body, **more)[:2]

    def log_in(self, name, password=PASSWORD):
        status, document, headers = self.ask(
            "POST", "session", {"name": name, "password": password})
        if status == 200:
            self.cookie = headers["Set-Cookie"].split(";")[0]
            self.csrf = document["csrf"]
        return status, document

    def watch(self, query):
        """An open stream: what it reads are lines."""
        line = self.line()
        line.request("GET", "/api/v1/watch?" + query, headers=self.headers({}))
        answer = line.getresponse()
        answer.line = line
        return answer


def next_event(stream):
    """The document of the next event, past signs of life."""
    while True:
        text = stream.readline()
        if not text:
            raise AssertionError("the stream has ended")
        if text.startswith(b"data: "):
            return json.loads(text[6:])


def schemas_in(part):
    """Every schema of a description."""
    if isinstance(part, list):
        for x in part:
            yield from schemas_in(x)
    elif isinstance(part, dict):
        for key, value in part.items():
            if key == "schema":
                yield value
            elif key == "schemas":
                yield from value.values()
            else:
                yield from schemas_in(value)


class ApiTest(SystemTest):
    def running(self, **more):
        engine = self.start(**more)
        for name, role in (("ann", "administer"), ("leo", "look")):
            engine.ctl("operator", "add", name, "--role", role,
                       "--password-stdin", text=PASSWORD + "\n")
        return engine

    def api(self, engine, name=None):
        out = Api(engine.address("admin"))
        if name:
            self.assertEqual(out.log_in(name)[0], 200)
        return out


class Logins(ApiTest):
    def test_nothing_but_health_is_for_everybody(self):
        api = self.api(self.running())
        for path in ("queue/list", "commands", "openapi.json", "history",
                     "nsq/clients", "watch?command=status", "session",
                     "no/such"):
            status, document = api.get(path)
            self.assertEqual((status, document["error"]),
                             (401, "wrong_credentials"), path)
        self.assertEqual(api.post("suspend", {})[0], 401)
        # What scripts ask for on the loopback.
        self.assertEqual(api.get("sources")[0], 200)

    def test_who_is_limited_to_some_users_is_told_of_no_others(self):
        engine = self.running()
        for limit in ("--users", "--collections"):
            with self.subTest(limit):
                name = "only" + limit.replace("--", "-")
                engine.ctl("operator", "add", name, "--role", "administer",
                           limit, "ann", "--password-stdin",
                           text=PASSWORD + "\n")
                api = self.api(engine, name)
                status, document = api.get("nsq/clients")
                self.assertEqual((status, document["error"]),
                                 (403, "not_allowed"))
                # Which names nobody.
                self.assertEqual(api.get("history")[0], 200)
        self.assertEqual(self.api(engine, "leo").get("nsq/clients")[0], 200)

    def test_a_session_says_who_has_logged_in(self):
        engine = self.running()
        api = self.api(engine, "ann")
        status, document = api.get("session")
        self.assertEqual(status, 200)
        self.assertEqual((document["name"], document["role"]),
                         ("ann", "administer"))
        self.assertEqual(api.ask("DELETE", "session")[0], 204)
        self.assertEqual(api.get("session")[0], 401)
        log = engine.log()
        self.assertNotIn(PASSWORD, log)
        self.assertNotIn(api.csrf, log)
        self.assertNotIn(api.cookie.split("=")[1], log)

    def test_a_wrong_password_is_refused(self):
        api = self.api(self.running())
        for name, password in (("ann", "wrong"), ("nobody", PASSWORD),
                               ("", ""), ("a" * 300, "x")):
            self.assertEqual(api.log_in(name, password)[0], 401, name)
        for _ in range(30):
            status = api.log_in("ann", "guess")[0]
        self.assertEqual(status, 429)
        self.assertEqual(api.log_in("ann")[0], 429)

    def test_forged_origins_are_refused(self):
        engine = self.running()
        api = self.api(engine, "ann")
        status, document = api.post("suspend", {}, Origin="http://evil.test")
        self.assertEqual((status, document["error"]), (403, "origin"))
        api.csrf = "0" * 64
        status, document = api.post("suspend", {})
        self.assertEqual((status, document["error"]), (403, "csrf"))
        self.assertFalse(engine.ask("status")["suspended"])

    def test_roles_hold_and_the_audit_line_says_who(self):
        engine = self.running()
        status, document = self.api(engine, "leo").post("suspend", {})
        self.assertEqual((status, document["error"]), (403, "not_allowed"))
        self.assertEqual(self.api(engine, "ann").post("suspend", {})[0], 200)
        self.assertTrue(engine.ask("status")["suspended"])
        self.assertRegex(engine.log(),
                         r'audit who="operator=ann[^"]*" command="suspend"')

    def test_an_operator_who_is_removed_is_out(self):
        engine = self.running()
        api = self.api(engine, "leo")
        self.assertEqual(api.get("status")[0], 200)
        engine.ctl("operator", "remove", "leo", "--yes")
        self.assertEqual(api.get("status")[0], 401)
        self.assertEqual(api.get("session")[0], 401)

    def test_a_token_works_until_it_is_removed(self):
        engine = self.running()
        ann = self.api(engine, "ann")
        status, document = ann.post(
            "operator/token/add", {"name": "leo", "token_name": "ci"})
        self.assertEqual(status, 200, document)
        script = self.api(engine)
        script.token = document["key"]
        self.assertEqual(script.get("status")[0], 200)
        self.assertEqual(script.post("suspend", {})[0], 403)
        self.assertNotIn(script.token, engine.log())
        self.assertEqual(ann.post(
            "operator/token/remove",
            {"name": "leo", "token_name": "ci", "yes": True})[0], 200)
        self.assertEqual(script.get("status")[0], 401)

    def test_sessions_end_with_the_engine_and_operators_do_not(self):
        engine = self.running()
        api = self.api(engine, "ann")
        engine.stop()
        engine.start()
        api.address = engine.address("admin")
        self.assertEqual(api.get("status")[0], 401)
        self.assertEqual(api.log_in("ann")[0], 200)


class Commands(ApiTest):
    def test_answers_are_those_of_the_shell(self):
        engine = self.running()
        api = self.api(engine, "ann")
        for words in ("queue list", "user list", "operator list",
                      "sp list", "source list"):
            status, document = api.get(words.replace(" ", "/"))
            self.assertEqual(status, 200, document)
            self.assertEqual(list(document), list(engine.ask(*words.split())))
        shown = api.get("commands")[1]
        self.assertIn("queue list", [x["words"] for x in shown["commands"]])

    def test_a_change_is_made_once_and_the_second_is_told(self):
        engine = self.running()
        ann = self.api(engine, "ann")
        body = {"name": "press", "password": "secret-press"}
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            got = sorted(x.result()[0] for x in [
                pool.submit(ann.post, "user/add", body) for _ in range(2)])
        self.assertEqual(got, [200, 409])
        self.door(engine, "press")

    def test_questions_are_asked_first(self):
        engine = self.running()
        engine.add_user("press", "secret-press")
        api = self.api(engine, "ann")
        status, document = api.post("operator/remove", {"name": "leo"})
        self.assertEqual((status, document["error"]), (428, "confirm"))
        self.assertTrue(document["text"].endswith("?"), document)
        self.assertEqual(len(engine.ask("operator", "list")["operators"]), 2)
        self.assertEqual(
            api.post("operator/remove", {"name": "leo", "yes": True})[0], 200)

    def test_bad_requests_are_refused(self):
        api = self.api(self.running(), "ann")
        for path, wanted in (("queue/list?limit=many", 400),
                             ("queue/list?limit=1&limit=2", 400),
                             ("queue/list?nothing=1", 400),
                             ("queue/list?after=%ff", 400),
                             ("queue/show?name=none", 404),
                             ("queue/lost", 404), ("suspend", 405)):
            status, document = api.get(path)
            self.assertEqual(status, wanted, (path, document))
            self.assertEqual(sorted(document), ["error", "text"])
        self.assertEqual(api.ask("PUT", "queue/list")[0], 405)

    def test_bad_bodies_are_refused(self):
        engine = self.running()
        api = self.api(engine, "ann")
        for body, wanted in (("{", 400), ("[]", 400), ("[" * 100_000, 400),
                             (b'{"name":"\xff"}', 400),
                             ('{"name":"' + "x" * 10_000_000 + '"}', 413),
                             ('{"unknown":1}', 400), ('{"yes":1}', 400)):
            status, document = api.post("user/add", body)
            self.assertEqual(status, wanted, (body[:20], document))
        # Nobody sends a long body without a login.
        self.assertEqual(self.api(engine).post("user/add", "{")[0], 401)
        self.assertEqual(api.get("status")[0], 200)
        self.assertEqual(engine.rows("user", "list"), [])

    def test_what_is_not_there_is_not_found_and_nothing_is_done(self):
        engine = self.running()
        api = self.api(engine, "ann")
        for path, body in (("submission/cancel", {"id": 4711}),
                           ("submission/requeue", {"id": 4711}),
                           ("job/requeue", {"id": "4711"}),
                           ("batch/delete", {"id": "4711"}),
                           ("queue/suspend", {"name": "none"}),
                           ("key/remove", {"name": "none"}),
                           ("source/pause", {"name": "none"}),
                           ("topic/pause", {"name": "none"}),
                           ("sp/stop", {"name": "none"}),
                           ("operator/remove", {"name": "nobody"})):
            status, document = api.post(path, {**body, "yes": True})
            self.assertEqual((status, document.get("error")),
                             (404, "not_found"), (path, document))
        self.assertEqual(len(engine.rows("operator", "list")), 2)

    def test_the_description_is_valid(self):
        api = self.api(self.running(), "ann")
        status, document = api.get("openapi.json")
        self.assertEqual(status, 200)
        self.assertEqual(document["openapi"], "3.1.0")
        for row in api.get("commands")[1]["commands"]:
            path = "/api/v1/" + row["words"].replace(" ", "/")
            self.assertEqual("get" in document["paths"][path], row["reads"])
        # Schemas of OpenAPI 3.1 are those of JSON Schema 2020-12.
        try:
            from jsonschema import Draft202012Validator
        except ImportError:
            self.skipTest("python3-jsonschema is not installed")
        self.assertIn("/servlet/deposit", document["paths"])
        rules = json.loads((ROOT / "tests/support/openapi/"
                            "schema-3.1.json").read_text())
        wrong = Draft202012Validator(rules)
        self.assertEqual([(list(x.path), x.message)
                          for x in wrong.iter_errors(document)], [])
        self.assertFalse(wrong.is_valid({**document, "paths": []}))
        checked = list(schemas_in(document))
        self.assertGreater(len(checked), 100)
        for schema in checked:
            Draft202012Validator.check_schema(schema)


class Watching(ApiTest):
    def test_changes_are_told(self):
        engine = self.running()
        api = self.api(engine, "ann")
        stream = api.watch("command=operator/list")
        self.addCleanup(stream.line.close)
        self.assertEqual(stream.headers["Content-Type"], "text/event-stream")
        self.assertEqual(len(next_event(stream)["operators"]), 2)
        engine.ctl("operator", "remove", "leo", "--yes")
        self.assertEqual(len(next_event(stream)["operators"]), 1)

    def test_what_cannot_be_watched_is_refused(self):
        api = self.api(self.running(), "ann")
        for query, wanted in (("", 400), ("command=no/such", 404),
                              ("command=suspend", 400),
                              ("command=queue/show&name=none", 404)):
            self.assertEqual(api.get("watch?" + query)[0], wanted, query)

    def test_there_are_six_of_a_session(self):
        api = self.api(self.running(), "ann")
        streams = [api.watch("command=status") for _ in range(6)]
        for stream in streams:
            self.addCleanup(stream.line.close)
            self.assertEqual(stream.status, 200)
        self.assertEqual(api.get("watch?command=status")[0], 429)
        streams[0].line.close()
        streams[0].close()
        # Who is gone is found out by what is sent next.
        wait_until(lambda: self.opens(api), timeout=60)

    def opens(self, api):
        stream = api.watch("command=status")
        stream.line.close()
        return stream.status == 200

    def test_a_stream_ends_with_its_operator_and_with_the_engine(self):
        engine = self.running()
        leo = self.api(engine, "leo").watch("command=queue/list")
        ann = self.api(engine, "ann").watch("command=queue/list")
        for stream in (leo, ann):
            self.addCleanup(stream.line.close)
            next_event(stream)
        engine.ctl("operator", "remove", "leo", "--yes")
        self.assertIn(b"wrong_credentials", leo.read())
        begun = time.monotonic()
        engine.stop()
        ann.read()
        self.assertLess(time.monotonic() - begun, 30)


class OffTheLoopback(ApiTest):
    def test_there_is_no_way_in_without_tls(self):
        with self.assertRaises(EngineFailed) as failed:
            self.start({"admin.listen": "0.0.0.0:0"})
        self.assertEqual(failed.exception.code, 2)
        self.assertIn("admin.listen", failed.exception.log)
        self.assertIn("admin.tls.certificate", failed.exception.log)

    def test_with_tls_everything_but_health_needs_a_login(self):
        authority = Authority(self.folder)
        authority.issue("engine", "127.0.0.1")
        engine = self.running(settings={
            "admin.listen": "0.0.0.0:0",
            "admin.tls.certificate": authority.file("engine", "pem"),
            "admin.tls.key": authority.file("engine", "key")})
        context = ssl.create_default_context(
            cafile=authority.file("ca", "pem"))
        port = engine.address("admin")[1]
        api = Api(("127.0.0.1", port), context)
        self.assertEqual(api.get("sources")[0], 401)
        self.assertEqual(self.scrape(api, context), 401)
        status, document, headers = api.ask(
            "POST", "session", {"name": "ann", "password": PASSWORD})
        self.assertEqual(status, 200, document)
        self.assertIn("; Secure", headers["Set-Cookie"])
        cookie = headers["Set-Cookie"].split(";")[0]
        self.assertEqual(self.scrape(api, context, Cookie=cookie), 200)
        engine.ctl("operator", "set", "ann", "--users", "press")
        self.assertEqual(self.scrape(api, context, Cookie=cookie), 403)
        with self.assertRaises((OSError, http.client.HTTPException)):
            Api(("127.0.0.1", port)).get("sources")

    def scrape(self, api, context, **headers):
        line = http.client.HTTPSConnection(*api.address, timeout=60,
                                           context=context)
        self.addCleanup(line.close)
        line.request("GET", "/metrics", headers=headers)
        return line.getresponse().status


if __name__ == "__main__":
    main()
