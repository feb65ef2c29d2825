"""The package is what the specification and its own manifest say."""

from __future__ import annotations

import ast
import inspect
import json
import re
import unittest
from typing import Any, Dict, Iterator, List, Set, Tuple
from urllib.parse import parse_qs, urlsplit

import gateramp
from gateramp import _hosts, types
from gateramp._events import event_from
from gateramp._retries import BACKOFF_BASE_SECONDS, BACKOFF_MAX_SECONDS, RETRY_AFTER_MAX_SECONDS
from tools.generate_types import RESOURCES, TARGET, generate, snake, with_parameters

from ..scripted import Scripted, answer
from ..spec import PACKAGE, spec

BODIES = {
    "wallet_address": "w",
    "metadata": {},
    "kyc_package": {"provider": "p"},
    "beneficiary": {},
    "limit": 1,
    "seconds": 1,
}
NOT_FOR_SERVERS = ("/v1/embed/", "/v1/providers/", "/health", "/openapi.json", "/docs")


def resources(owner: object) -> Iterator[object]:
    for resource in vars(owner).values():
        if type(resource).__module__.startswith("gateramp.resources"):
            yield resource
            yield from resources(resource)


def methods() -> List[Any]:
    """Every method of every resource that speaks to the server, but `follow`, which reads a list again and again."""
    gate = gateramp.Gate("sk_test_1", base_url="https://api.example", pools_base_url="https://api.example")
    return [
        method
        for resource in resources(gate)
        for name, method in inspect.getmembers(resource, inspect.ismethod)
        if not name.startswith("_") and name != "follow"
    ]


class Operations(unittest.TestCase):
    """Each method is called with everything it takes, and what it sends is held against the OpenAPI document."""

    @classmethod
    def setUpClass(cls) -> None:
        document = spec("openapi.json")
        cls.document = document
        cls.operations = {
            (verb.upper(), path): operation
            for path, verbs in document["paths"].items()
            for verb, operation in verbs.items()
            if not path.startswith(NOT_FOR_SERVERS)
        }
        cls.sent = [cls.request_of(method) for method in methods()]

    @staticmethod
    def request_of(method: Any) -> Tuple[str, str, Set[str], Set[str], bool]:
        """Verb, path, query, members of the body, and whether there is an idempotency key."""
        world = Scripted(answer(body={"data": []}), pools_base_url="https://api.example")
        bound = _same_method(world.gate, method)
        given: Dict[str, Any] = {}
        for name, parameter in inspect.signature(method).parameters.items():
            if parameter.kind is not inspect.Parameter.VAR_KEYWORD:
                given[name] = BODIES.get(name, name if name not in ("id", "session_id", "pool_id", "refid") else "ID")
        bound(**given)
        request = world.sent[0]
        url = urlsplit(request.url)
        body = set(json.loads(request.body)) if request.body else set()
        return request.method, url.path, set(parse_qs(url.query)), body, "idempotency-key" in request.headers

    def found(self, verb: str, path: str) -> Tuple[str, str]:
        for known_verb, known in self.operations:
            if verb == known_verb and re.fullmatch(re.sub(r"\{\w+\}", "ID", known), path):
                return known_verb, known
        raise AssertionError(f"{verb} {path} is no operation")

    def test_every_operation_of_the_api_for_servers_has_a_method_and_the_other_way_round(self) -> None:
        self.assertEqual({self.found(verb, path) for verb, path, *_ in self.sent}, set(self.operations))
        self.assertEqual(len(self.sent), len(self.operations))

    def test_takes_every_filter_and_every_member_of_every_body(self) -> None:
        for verb, path, query, body, _ in self.sent:
            operation = self.operations[self.found(verb, path)]
            parameters = operation.get("parameters", [])
            with self.subTest(f"{verb} {path}"):
                self.assertEqual(query, {one["name"] for one in parameters if one["in"] == "query"})
                self.assertEqual(body, self.members(operation))

    def members(self, operation: Dict[str, Any]) -> Set[str]:
        if "requestBody" not in operation:
            return set()
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        if "$ref" in schema:
            schema = self.document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
        return set(schema["properties"])

    def test_sends_an_idempotency_key_wherever_one_is_honoured_and_nowhere_else(self) -> None:
        for verb, path, _, _, keyed in self.sent:
            parameters = self.operations[self.found(verb, path)].get("parameters", [])
            with self.subTest(f"{verb} {path}"):
                self.assertEqual(keyed, any(one["name"] == "Idempotency-Key" for one in parameters))


def _same_method(gate: gateramp.Gate, method: Any) -> Any:
    owner = next(resource for resource in resources(gate) if type(resource) is type(method.__self__))
    return getattr(owner, method.__name__)


class Facts(unittest.TestCase):
    def test_the_types_are_those_of_the_specification(self) -> None:
        self.assertEqual(TARGET.read_text(encoding="utf-8"), generate(), "run tools/generate_types.py")

    def test_the_parameters_of_every_method_are_those_of_the_specification(self) -> None:
        for path in RESOURCES.glob("*.py"):
            text = path.read_text(encoding="utf-8")
            self.assertEqual(text, with_parameters(text), f"{path.name}: run tools/generate_types.py")

    def test_a_class_says_what_the_document_says_of_its_schema(self) -> None:
        said = {name: schema["description"] for name, schema in spec("openapi.json")["components"]["schemas"].items()}
        classes = {name: kind for name, kind in vars(types).items() if name in said}
        self.assertGreater(len(classes), 20)
        for name, kind in classes.items():
            self.assertEqual(kind.__doc__, said[name], name)

    def test_every_example_of_the_document_is_read_without_a_field_that_the_types_do_not_have(self) -> None:
        for name, schema in spec("openapi.json")["components"]["schemas"].items():
            kind = getattr(types, name, None)
            for example in schema.get("examples", []) if kind is not None else []:
                unknown = {snake(field) for field in example} - set(kind.__annotations__)
                self.assertEqual(unknown, set(), name)

    def test_every_example_of_an_event_is_read_in_the_class_of_its_type(self) -> None:
        for type, described in spec("events.json")["events"].items():
            event = event_from(described["example"])
            known = {name for kind in (types.EVENTS[type], types.EventEnvelope) for name in kind.__annotations__}
            self.assertEqual((event.__class__, set(described["example"]) - known), (types.EVENTS[type], set()), type)
            self.assertEqual(set(event.data) - set(event.data.__class__.__annotations__), set(), type)

    def test_the_hosts_are_those_of_the_document(self) -> None:
        document = spec("openapi.json")
        hosts = {server["description"]: server["url"] for server in document["servers"]}
        self.assertEqual({"live mode": _hosts.LIVE, "test mode": _hosts.SANDBOX}, hosts)
        self.assertEqual(_hosts.POOLS, document["paths"]["/v1/pools"]["get"]["servers"][0]["url"])

    def test_retries_by_the_policy_that_every_language_has(self) -> None:
        policy = spec("retry-vectors.json")["policy"]
        own = (BACKOFF_BASE_SECONDS * 1000, BACKOFF_MAX_SECONDS * 1000, RETRY_AFTER_MAX_SECONDS)
        self.assertEqual(own, (policy["backoff_base_ms"], policy["backoff_max_ms"], policy["retry_after_max_seconds"]))

    def test_says_one_version_of_itself(self) -> None:
        manifest = (PACKAGE / "pyproject.toml").read_text(encoding="utf-8")
        self.assertIn(f'\nversion = "{gateramp.__version__}"\n', manifest)

    def test_is_written_in_the_oldest_python_that_it_promises_and_in_the_standard_library(self) -> None:
        for path in (PACKAGE / "src").rglob("*.py"):
            tree = ast.parse(path.read_text(encoding="utf-8"), str(path), feature_version=(3, 9))
            for node in ast.walk(tree):
                self.assertFalse(
                    isinstance(node, ast.Import) and any(name.name.startswith("typing_ext") for name in node.names)
                )
                if isinstance(node, ast.ImportFrom) and node.module == "typing_extensions":
                    self.assertGreater(node.col_offset, 0, f"{path}: outside of `if TYPE_CHECKING`")
