"""Writes src/gateramp/types.py, and the keyword parameters of the methods in src/gateramp/resources, from
spec/openapi.json and spec/events.json: `python3 sdks/python/tools/generate_types.py`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Dict, List, Optional, Set

ROOT = Path(__file__).resolve().parents[3]
TARGET = ROOT / "sdks/python/src/gateramp/types.py"
RESOURCES = ROOT / "sdks/python/src/gateramp/resources"
LINE_MAX = 120

Schema = Dict[str, Any]

# Objects that are spelled out within others get one class for each shape, by the name of the field here or there.
SHAPE_NAMES = {
    "source": "Amount",
    "destination": "Amount",
    "fees": "Fee",
    "limits": "QuoteLimits",
    "quotes": "Quote",
    "failure": "Failure",
    "beneficiary": "BeneficiaryShown",
    "balances": "PoolHolding",
    "fired": "FiredWork",
    "data": "Pool",
}

HEADER = '''"""The resources of the API. Written by tools/generate_types.py from spec/: change that, not this.

Enums are open: a value that is not listed is as valid as one that is.
"""

from __future__ import annotations

from typing import Any, ClassVar, Dict, List, Literal, Mapping, Optional, Type, Union

from ._objects import GateObject

'''


def generate() -> str:
    """The text of types.py."""
    document = json.loads((ROOT / "spec/openapi.json").read_text(encoding="utf-8"))
    events = json.loads((ROOT / "spec/events.json").read_text(encoding="utf-8"))
    classes = Classes({**events["components"]["schemas"], **document["components"]["schemas"]})
    for schema in answered(document):
        classes.type_of(schema, "Answer")
    data_classes = {name: classes.type_of(event["data"], "EventData") for name, event in events["events"].items()}
    lines = [f'    "{name}": {kind},' for name, kind in data_classes.items()]
    registry = "EVENT_DATA: Mapping[str, Type[GateObject]] = {\n" + "\n".join(lines) + "\n}\n"
    return HEADER + "".join(f"\n{text}\n" for text in classes.texts.values()) + f"\n{registry}"


def answered(document: Schema) -> List[Schema]:
    """What the operations for servers answer: those that take a secret key."""
    return [
        response["content"]["application/json"]["schema"]
        for methods in document["paths"].values()
        for operation in methods.values()
        if any("secret" in way for way in operation.get("security", []))
        for status, response in operation["responses"].items()
        if status.startswith("2") and "application/json" in response.get("content", {})
    ]


class Classes:
    def __init__(self, schemas: Dict[str, Schema]) -> None:
        self._schemas = schemas
        self._names: Dict[str, str] = {}
        self.texts: Dict[str, str] = {}

    def type_of(self, schema: Schema, name: str) -> str:
        """The annotation of a schema; what it needs of classes is written on the way, inner ones first."""
        if "$ref" in schema:
            return self._component(schema["$ref"].rsplit("/", 1)[1])
        variants = schema.get("anyOf") or schema.get("oneOf")
        if variants:
            return self._variants(variants, name)
        kinds = schema["type"] if isinstance(schema.get("type"), list) else [schema.get("type")]
        if "null" in kinds:
            return f"Optional[{self.type_of({**schema, 'type': next(kind for kind in kinds if kind != 'null')}, name)}]"
        if "const" in schema:
            return f'Literal["{schema["const"]}"]' if isinstance(schema["const"], str) else "bool"
        if "enum" in schema:
            return f"Union[Literal[{', '.join(json.dumps(value) for value in schema['enum'])}], str]"
        if "array" in kinds:
            return f"List[{self.type_of(schema['items'], name)}]"
        if "properties" in schema:
            return self._shape(schema, name)
        plain = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "object": "Dict[str, Any]"}
        return plain.get(str(kinds[0]), "Any")

    def _component(self, name: str) -> str:
        schema = self._schemas[name]
        if name.endswith("List") or name in ("Pools", "PoolTrades"):  # pages have a class of their own
            return self.type_of(schema["properties"]["data"]["items"], "Pool")
        if "properties" not in schema:
            return self.type_of(schema, name)
        return self._class(name, schema)

    def _variants(self, variants: List[Schema], name: str) -> str:
        present = [variant for variant in variants if variant.get("type") != "null"]
        if len(present) == 1:
            inner = self.type_of(present[0], name)
        elif all("$ref" in variant for variant in present):
            inner = f"Union[{', '.join(self.type_of(variant, name) for variant in present)}]"
        else:
            inner = self._shape(merged(present), name)
        return inner if len(present) == len(variants) else f"Optional[{inner}]"

    def _shape(self, schema: Schema, name: str) -> str:
        shape = json.dumps(schema["properties"], sort_keys=True)
        if shape not in self._names:
            wanted = SHAPE_NAMES.get(name.split(".")[-1], pascal(name))
            self._names[shape] = wanted if wanted not in self.texts else pascal(name)
            self._class(self._names[shape], schema)
        return self._names[shape]

    def _class(self, name: str, schema: Schema) -> str:
        if name in self.texts:
            return name
        fields: List[str] = []
        nested: List[str] = []
        renamed: List[str] = []
        for wire, property_schema in schema["properties"].items():
            field = snake(wire)
            if wire == "type" and "const" in property_schema:  # a kind of which there is one so far: others may come
                property_schema = {"enum": [property_schema["const"]]}
            annotation = self.type_of(property_schema, f"{name}.{wire}")
            required = wire in schema.get("required", [])
            if not required and not annotation.startswith("Optional["):
                annotation = f"Optional[{annotation}]"
            fields.append(declaration(field, annotation))
            inner = class_in(annotation, set(self.texts))
            if inner is not None:
                nested.append(f'"{wire}": {inner}')
            if field != wire:
                renamed.append(f'"{field}": "{wire}"')
        lines = [f"class {name}(GateObject):", *docstring(schema.get("description")), *fields]
        if nested:
            lines += ["", mapping("_nested: ClassVar[Mapping[str, Type[GateObject]]]", nested)]
        if renamed:
            lines += ["", mapping("_wire_names: ClassVar[Mapping[str, str]]", renamed)]
        self.texts[name] = "\n".join(lines) + "\n"
        return name


def docstring(said: Optional[str]) -> List[str]:
    """The sentence of a schema, with an empty line behind it; nothing for a shape without one."""
    return [] if said is None else [f'    """{said}"""', ""]


def declaration(field: str, annotation: str) -> str:
    """One line, or for a long enum one line for each value."""
    line = f"    {field}: {annotation}"
    found = re.search(r"Literal\[(.*?)\]", annotation)
    if len(line) <= LINE_MAX or found is None:
        return line
    values = "".join(f"            {value},\n" for value in found.group(1).split(", "))
    closing = annotation[found.end() :].replace(", str]", ",\n        str,\n    ]")
    return f"    {field}: {annotation[: found.start()]}\n        Literal[\n{values}        ]{closing}"


def mapping(name: str, entries: List[str]) -> str:
    line = f"    {name} = {{{', '.join(entries)}}}"
    if len(line) <= LINE_MAX:
        return line
    return f"    {name} = {{\n" + "".join(f"        {entry},\n" for entry in entries) + "    }"


def merged(variants: List[Schema]) -> Schema:
    """One class for objects told apart by a field: what not all of them have may be None."""
    required = set.intersection(*(set(variant["required"]) for variant in variants))
    properties: Dict[str, Schema] = {}
    for variant in variants:
        for name, schema in variant["properties"].items():
            properties.setdefault(name, schema)
    tags = [variant["properties"]["type"]["const"] for variant in variants]
    properties["type"] = {"enum": tags}
    return {"type": "object", "properties": properties, "required": sorted(required)}


def class_in(annotation: str, classes: Set[str]) -> Optional[str]:
    return next(
        (word for word in re.findall(r"\w+", re.sub(r"Literal\[[^\]]*\]", "", annotation)) if word in classes), None
    )


def snake(wire: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", wire).lower()


def pascal(name: str) -> str:
    """`WebhookDelivery.attempts` is a `WebhookDeliveryAttempt`."""
    owner, _, field = name.rpartition(".")
    words = "".join(part.capitalize() for part in field.split("_")) if owner else field
    return owner + (words[:-1] if field in ("attempts", "stages") else words)


# A method whose keyword parameters are the body or the query of its operation: it passes `given(locals())` on.
METHOD = re.compile(
    r"(?P<head>    def \w+\(\n        self,\n(?:        \w+: str,\n)*        \*,\n)(?P<parameters>(?:        \w+: [^\n]+\n)+)"
    r"(?P<rest>        \*\*options: (?:(?!\n    def ).)*?= given\(locals\(\)\)\n(?:(?!\n    def ).)*?\"(?P<path>/[^\"]+)\")",
    re.DOTALL,
)

# Objects that are given, by the name of their parameter.
GIVEN_OBJECTS = {"beneficiary": "Beneficiary"}


def with_parameters(source: str) -> str:
    """The text of a file of resources with the parameters that the document says."""
    document = json.loads((ROOT / "spec/openapi.json").read_text(encoding="utf-8"))
    operations = {re.sub(r"\{\w+\}", "{}", path): methods for path, methods in document["paths"].items()}
    schemas = document["components"]["schemas"]

    def write(method: re.Match[str]) -> str:
        operation = operations[method["path"]]["post" if "_api.post(" in method["rest"] else "get"]
        if "requestBody" in operation:
            schema = operation["requestBody"]["content"]["application/json"]["schema"]
            body = schemas[schema["$ref"].rsplit("/", 1)[1]]
            named = [(name, one, name in body.get("required", [])) for name, one in body["properties"].items()]
        else:
            query = [one for one in operation["parameters"] if one["in"] == "query"]
            named = [(one["name"], one["schema"], one.get("required", False)) for one in query]
        named.sort(key=lambda one: not one[2])
        return method["head"] + "".join(parameter(*one) for one in named) + method["rest"]

    return METHOD.sub(write, source)


def parameter(name: str, schema: Schema, required: bool) -> str:
    one = next((kind for kind in schema.get("anyOf", []) if kind.get("type") != "null"), schema)
    plain = {"integer": "int", "object": "Mapping[str, Any]"}
    annotation = GIVEN_OBJECTS.get(name) or plain.get(str(one.get("type")), "str")
    return f"        {name}: {annotation},\n" if required else f"        {name}: Optional[{annotation}] = None,\n"


if __name__ == "__main__":
    TARGET.write_text(generate(), encoding="utf-8")
    for path in RESOURCES.glob("*.py"):
        path.write_text(with_parameters(path.read_text(encoding="utf-8")), encoding="utf-8")
