"""Values of calls, as cases write them: numbers, names of constants, lists, mappings; by the types of a file of rules."""

import mmap


class Unknown(Exception):
    """A name that the file does not have, or a value that does not fit its type."""


class Any:
    """Any valid object; two names are two objects. A text is one without a name."""

    def __init__(self, name):
        self.name = name


class Reader:
    """Turns the values of a case into those of their types."""

    def __init__(self, data):
        self.constants, self.types = data["constants"], data["types"]

    def value(self, at, kind, v):
        if isinstance(v, bool):
            v = int(v)
        if v is None:
            return self.null(at, kind)
        if isinstance(v, str):
            return self.text(at, kind, v.strip())
        if isinstance(v, int):
            return self.integer(at, kind, v)
        if isinstance(v, list):
            return self.list(at, kind, v)
        if isinstance(v, dict) and kind["is"] in ("struct", "object"):
            return self.fields(at, kind, nested(v))
        raise Unknown(f"{at}: {v!r} does not fit {kind['is']}")

    def null(self, at, kind):
        if kind["is"] == "integer" or kind["is"] == "struct" and not kind.get("pointer"):
            raise Unknown(f"{at}: null does not fit {kind['is']}")
        return None

    def integer(self, at, kind, i):
        bits, signed = 64, False
        if kind["is"] == "integer":
            bits, signed = kind["bits"], kind.get("signed", False)
        elif i == 0:
            return self.null(at, kind)
        elif kind["is"] == "struct":
            raise Unknown(f"{at}: an integer does not fit a struct")
        if not -(1 << bits - 1) <= i < 1 << bits:
            raise Unknown(f"{at}: {i} does not fit {bits} bits")
        i %= 1 << bits
        return i - (1 << bits) if signed and i >> bits - 1 else i

    def text(self, at, kind, s):
        if s.startswith("@"):
            return Any(s)
        by_value = kind["is"] == "struct" and not kind.get("pointer")
        if (kind["is"] == "text" or kind.get("array") or by_value) and s != "NULL":
            return Any(None)
        return self.integer(at, kind, self.flags(at, s))

    def flags(self, at, s):
        total = 0
        for name in (part.strip() for part in s.split("|")):
            total |= self.number(at, name)
        return total

    def number(self, at, name):
        if name == "page":
            return mmap.PAGESIZE
        if name in self.constants:
            return self.constants[name]
        try:
            return int(name, 0)
        except ValueError:
            raise Unknown(f"{at}: there is no constant {name}") from None

    def list(self, at, kind, values):
        if kind["is"] == "integer" and not kind.get("array"):
            objects = [v for v in values if isinstance(v, dict) or isinstance(v, str) and v.startswith("@")]
            if objects:  # the count of a list of objects
                return self.integer(at, kind, len(objects))
            total = 0
            for v in values:
                total |= self.flags(at, v) if isinstance(v, str) else v
            return self.integer(at, kind, total)
        element = kind.get("element") or {**kind, "array": False}
        return [self.value(f"{at}[{i}]", element, v) for i, v in enumerate(values)]

    def fields(self, at, kind, values):
        of = self.types[kind["of"]]
        base = of.get("base")
        if base and base not in values:  # an object that begins with another one has the fields of both
            inner = self.types[of["fields"][base]["of"]]["fields"]
            its = {name for name in values if name in inner and name not in of["fields"]}
            if its:
                values = {name: v for name, v in values.items() if name not in its} | {base: {name: values[name] for name in its}}
        out = {}
        for name, v in values.items():
            if name in of["fields"]:
                out[name] = self.value(f"{at}.{name}", of["fields"][name], v)
            elif not of["object"]:
                raise Unknown(f"{at}: there is no field {name}")
        return out


def nested(values):
    """Put the values of dotted names where they belong."""
    out = {}
    for name, v in sorted(values.items()):
        head, dot, rest = name.partition(".")
        if isinstance(v, dict):
            v = nested(v)
        if not dot:
            out[name] = v
        elif isinstance(out.setdefault(head, {}), dict):
            out[head].update(nested({rest: v}))
        else:
            raise Unknown(f"{name}: {head} has a value of its own")
    return out
