"""Judge calls of a C library by the rules that `verbsgen rules --json --full` prints.

    rules = Rules.read("rules.json")
    rules.judge("function", {"flags": "A_FLAG|ANOTHER", "attr": {"length": 4096}})

The module knows the form of that file (docs/rules.schema.json) and no function, struct or constant of any library.
"""

import json
import mmap
import sys

from cases import Any, Reader, Unknown, nested

# What is known of a place of a call: it has a value, it is left out and so valid and neutral, or nobody says what an object has there.
GIVEN, NEUTRAL, UNTOLD = "given", "neutral", "untold"
OPEN = "open"  # the outcome of a condition that something untold decides
ABSENT = object()

COMPARE = {
    "eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b, "in": lambda a, b: a == b,
}


class Rules:
    """The rules of a file."""

    def __init__(self, data):
        if data["format"] != "verbsgen-rules" or data["version"] != 2:
            raise ValueError("not a file of rules of version 2")
        self.data = data
        self.of = {}
        for rule in data["rules"]:
            self.of.setdefault(rule["function"], []).append(rule)

    @classmethod
    def read(cls, name):
        with open(name, encoding="utf-8") as file:
            return cls(json.load(file))

    def judge(self, function, args, caps=None):
        """Return {"verdict": accept, warn, reject or unknown, "rules": the IDs that decide it, "not_judged": IDs}."""
        if function not in self.data["functions"]:
            return {"verdict": "unknown", "rules": [], "not_judged": []}
        try:
            call = Call(self.data, function, args, caps or {})
        except Unknown as problem:
            return {"verdict": "unknown", "rules": [], "not_judged": [], "problem": str(problem)}
        found = {"refused": [], "warned": [], "open": []}
        for rule in self.of.get(function, []):
            outcome = call.judge(rule)
            if outcome in found:
                found[outcome].append(rule["id"])
        verdict = "reject" if found["refused"] else "warn" if found["warned"] else "accept"
        return {"verdict": verdict, "rules": found["refused"] or found["warned"], "not_judged": found["open"]}


class Call:
    """A call and what conditions are for it."""

    def __init__(self, data, function, args, caps):
        self.capabilities, self.types = data["capabilities"], data["types"]
        self.masks = data["functions"][function]["masks"]
        self.parameters = {p["name"]: p for p in data["functions"][function]["parameters"]}
        read = Reader(data)
        self.args, self.caps, self.deriving = {}, {}, set()
        for name, v in nested(args).items():
            if name not in self.parameters:
                raise Unknown(f"there is no parameter {name}")
            self.args[name] = read.value(name, self.parameters[name]["type"], v)
        self.read_caps(read, "", caps)
        self.missing = False  # something untold was looked for

    def read_caps(self, read, prefix, caps):
        for name, v in caps.items():
            if isinstance(v, dict):
                self.read_caps(read, prefix + name + ".", v)
            elif v is not None:
                wide = {"is": "integer", "bits": 64}
                self.caps[self.normal(prefix + name)] = v if isinstance(v, int) else read.value(prefix + name, wide, v)

    def judge(self, rule):
        """Return None, or "refused", "warned", or "open": the rule may be broken."""
        worst, broken, undecided = "accepted", False, False
        for b in self.bindings(rule.get("each", ""), {}):
            outcome = self.hold(rule["broken"], b, False)
            undecided = undecided or outcome == OPEN
            if outcome is not True:
                continue
            broken = True
            answer = "refused" if rule["severity"] == "error" else self.answer(rule, b)
            if worst != "refused" and answer != "accepted":
                worst = answer
        if not broken:
            return "open" if undecided else None
        return None if worst == "accepted" else worst

    def answer(self, rule, b):
        """What is known of every platform: a party that names no kernel, no release, and no provider but the library."""
        for named in (True, False):
            def find(parties):
                return next((p for p in parties if bool(p.get("provider")) == named and p.get("provider", "libibverbs") == "libibverbs"
                             and not p.get("kernel") and not p.get("release")
                             and ("when" not in p or self.hold(p["when"], b, False) is True)), None)
            accepted = find(rule["accepted_by"])
            if find(rule["refused_by"]):
                return "refused"
            if accepted:
                return "warned" if accepted.get("but") else "accepted"
        return "warned"

    # Conditions. Below "not" stands a demand, which what a call leaves out fulfils; elsewhere it is neutral.

    def hold(self, n, b, demand):
        if n["op"] in ("all", "any"):
            decides = n["op"] == "any"
            out = not decides
            for sub in n["of"]:
                outcome = self.hold(sub, b, demand)
                if outcome is decides:
                    return decides
                if outcome == OPEN:
                    out = OPEN
            return out
        if n["op"] == "not":
            outcome = self.hold(n["of"][0], b, not demand)
            return outcome if outcome == OPEN else not outcome
        return self.elements(n, b, demand)

    def elements(self, n, b, demand):
        """Of a list that the rule does not walk, one element is enough for a condition, and a demand is made of all."""
        out = demand
        for one in self.bindings(n["of"][0].get("path", ""), b):
            self.missing = False
            outcome = self.test(n, one, demand)
            if outcome is (not demand):
                return outcome
            if self.missing:
                out = OPEN
        return out

    def test(self, n, b, demand):
        op, of = n["op"], n["of"]
        if op == "bad_transition":
            return self.bad_transition(n, b)
        if of[0]["op"] == "given":
            return self.count(n, b)
        if op in COMPARE:
            return self.compare(n, b)
        state, v = self.at(of[0], b)
        if state == UNTOLD or state == NEUTRAL and demand:
            return None
        if op in ("null", "not_null"):
            if state == NEUTRAL:
                path = of[0]["path"]
                return op == "not_null" and path in self.parameters and not self.parameters[path]["null"]
            return (v is None or v == 0) == (op == "null")
        if op in ("set", "unset"):
            return is_set(state, v) == (op == "set")
        if op == "same":
            return same((state, v), self.at(of[1], b))
        have, flags = self.bits(of[0], b), of[1]["value"]
        if have is None:
            return None
        return {"has": have & flags != 0, "has_all": have & flags == flags, "lacks": have & flags == 0, "only": have & ~flags == 0}[op]

    def compare(self, n, b):
        i = self.number(n["of"][0], b)
        if i is None:
            return None
        if n["of"][0]["op"] == "sum" and i >> 64:  # above everything
            return COMPARE[n["op"]](1, 0)
        out = False
        for other in n["of"][1:]:
            j = self.number(other, b)
            if j is not None and COMPARE[n["op"]](i, j):
                return True
            if j is None and (n["op"] != "in" or other["op"] == "arg"):
                out = None
        return out

    def count(self, n, b):
        """How many fields are given may be each number between those that certainly and those that perhaps are."""
        least = most = 0
        for field in n["of"][0]["of"]:
            given, known = self.is_given(n["of"][0].get("mask"), field, b)
            least += given
            most += given or not known
        limit = self.number(n["of"][1], b)
        outcomes = {COMPARE[n["op"]](i, limit) for i in range(least, most + 1)}
        return outcomes.pop() if len(outcomes) == 1 else None

    def is_given(self, mask, field, b):
        if mask:
            bit = self.bit_of(mask, field)
            if bit is not None and self.at(mask, b)[0] == GIVEN and self.bits(mask, b) is not None:
                return self.bits(mask, b) & bit != 0, True
        state, v = self.at(field, b)
        return is_set(state, v), state == GIVEN

    def bit_of(self, mask, field):
        return next((g["bit"] for g in self.masks.get(mask["path"], []) if g["field"] == field["path"]), None)

    def bad_transition(self, n, b):
        mask, start, end = n["of"][:3]
        have, state, goal = self.bits(mask, b), self.number(start, b), self.number(end, b)
        if None in (have, state, goal):
            return None
        begins = False
        for way in n["of"][3:]:
            if way["of"][0].get("value") == state:
                begins = True
                if way["of"][1].get("value") == goal:
                    need, may = way["of"][2]["value"], way["of"][3]["value"]
                    return need & ~have != 0 or have & ~(need | may) != 0
        return begins

    # Values.

    def number(self, n, b):
        """The integer of a node; None if the call does not say it."""
        op, of = n["op"], n.get("of", [])
        if op in ("number", "constant"):
            return n.get("value")
        if op == "page_size":
            return mmap.PAGESIZE
        if op == "sum":
            terms = [self.number(t, one) for t in of for one in self.bindings(t.get("path", ""), b)]
            told = [i for i in terms if i is not None]
            return sum(told) if told else None
        if op == "rest":
            i, by = self.bits(of[0], b), self.number(of[1], b)
            return i % by if self.at(of[0], b)[0] == GIVEN and i is not None and by and by > 0 else None
        if op == "power":
            i = self.number(of[0], b)
            return 1 << min(i, 64) if i is not None and i >= 0 else None
        if op == "if_given":
            have, bit, i = self.bits(n["mask"], b), self.bit_of(n["mask"], of[1]), self.number(of[1], b)
            without = bit is not None and (have is None or have & bit == 0)
            return self.number(of[0], b) if without or i is None else i
        state, v = self.at(n, b)
        if state == GIVEN and (v is None or isinstance(v, int)):
            return v or 0
        return None

    def bits(self, n, b):
        """The flags at a place as an unsigned integer; None if the call does not say them."""
        state, v = self.at(n, b)
        if state == UNTOLD or not (v is None or isinstance(v, int)):
            return None
        v = v or 0
        return v if v >= 0 else v + (1 << self.type_of(n["path"])[0]["bits"])

    def at(self, n, b):
        return self.capability(n["path"], b) if n["op"] == "cap" else self.look(n["path"], b)

    def type_of(self, path):
        """The type of a place, and whether the path leads through an object; None for no place."""
        kind, through = None, False
        for i, step in enumerate(path.split(".")):
            name = step.removesuffix("[]")
            if i == 0:
                kind = self.parameters[name]["type"] if name in self.parameters else None
                if kind and step != name:
                    kind = kind.get("element") or kind
            else:
                through = through or kind["is"] == "object"
                kind = self.types[kind["of"]]["fields"].get(name) if "of" in kind else None
            if kind is None:
                return None, True
        return kind, through

    def look(self, path, b):
        """What is known of an argument, a field, or a property of an object."""
        through = self.type_of(path)[1]
        steps = path.split(".")
        v = self.args.get(steps[0].removesuffix("[]"), ABSENT)
        for i, step in enumerate(steps):
            if i > 0:
                if v is None or isinstance(v, int):
                    return UNTOLD, None
                v = self.field(v, step.removesuffix("[]"), self.type_of(".".join(steps[:i]))[0])
            if v is ABSENT:
                if self.normal(path) in self.caps and through:
                    return GIVEN, self.caps[self.normal(path)]
                self.missing = self.missing or through
                return (UNTOLD, None) if through else (NEUTRAL, self.derived(path, b))
            if step.endswith("[]") and isinstance(v, list):
                j = b.get(".".join(steps[:i + 1]), len(v))
                if j >= len(v):
                    return UNTOLD, None
                v = v[j]
        return GIVEN, v

    def field(self, struct, name, kind):
        """A field of a struct, by either of its names, or computed from others."""
        if not isinstance(struct, dict):
            return ABSENT
        of = self.types[kind["of"]]
        for key in (name, of.get("same", {}).get(name)):
            if key in struct:
                return struct[key]
        elements = struct.get(of.get("counts", {}).get(name))
        if isinstance(elements, list):
            return len(elements)
        terms = [self.field(struct, term, kind) for term in of.get("sums", {}).get(name, [])]
        if terms and all(isinstance(t, int) for t in terms):
            return sum(terms)
        return ABSENT

    def derived(self, path, b):
        """A mask that is left out has the bits of the fields that are given."""
        if path not in self.masks or path in self.deriving:
            return None
        self.deriving.add(path)
        mask = 0
        for gate in self.masks[path]:
            state, v = self.look(gate["field"], b)
            if is_set(state, v) or gate["zero"] and state == GIVEN:
                mask |= gate["bit"]
        self.deriving.discard(path)
        return mask

    def bindings(self, path, b):
        """The ways to choose an element of each list in a path."""
        out, start = [b], 0
        while (end := path.find("[]", start)) >= 0:
            prefix, start = path[:end + 2], end + 2
            if prefix not in b:
                out = [{**one, prefix: i} for one in out for i in range(self.length(path[:end], one))]
        return out

    def length(self, path, b):
        state, v = self.look(path, b)
        if state != GIVEN or v is None:
            return 0
        return len(v) if isinstance(v, list) else 1

    # Capabilities.

    def parts(self, path):
        """Split port_attr[1].max_msg_sz, or port_attr.max_msg_sz, into root, index and rest."""
        root, bracket, rest = path.partition("[")
        if bracket:
            index, _, rest = rest.partition("]")
            return root, index, rest.removeprefix(".")
        root, _, rest = path.partition(".")
        word, _, more = rest.partition(".")
        if f"{root}.{word}" in self.capabilities:
            return f"{root}.{word}", "", more
        return root, "", rest

    def normal(self, path):
        """The one path of a capability that two structs have."""
        root, index, rest = self.parts(path)
        field, dot, more = rest.partition(".")
        word = self.capabilities.get(root, {}).get("holds", {}).get(field)
        return f"{word}.{more}" if word and dot and not index else path

    def capability(self, path, b):
        root, index, rest = self.parts(path)
        keys, known = [path], True
        if index:
            n = int(index) if index.isdigit() else self.number({"op": "arg", "path": index}, b)
            known = n is not None
            keys = [f"{root}[{n}].{rest}", f"{root}.{rest}"]
        for key in keys:
            if self.normal(key) in self.caps:
                return GIVEN, self.caps[self.normal(key)]
        self.missing = self.missing or known
        return UNTOLD, None


def is_set(state, v):
    """Whether a place has a value that is not neutral."""
    return state == GIVEN and not (v is None or v == 0 or v == [])


def same(a, b):
    """Whether two places have the same object; None if the call does not say it."""
    (state, v), (other, w) = a, b
    if state != GIVEN or other != GIVEN:
        return None
    if v is None or w is None:
        return v is w
    if isinstance(v, Any) and isinstance(w, Any) and v.name and w.name:
        return v.name == w.name
    return v == w if isinstance(v, int) and isinstance(w, int) else None


def main():
    """Judge the calls of a file, a list of {"function", "args", "caps"}, and print a list of verdicts."""
    rules = Rules.read(sys.argv[1])
    with open(sys.argv[2], encoding="utf-8") as file:
        cases = json.load(file)
    json.dump([rules.judge(c["function"], c["args"], c.get("caps")) for c in cases], sys.stdout)


if __name__ == "__main__":
    main()
