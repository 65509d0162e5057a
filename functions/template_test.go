package functions_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// value is a node of the template. CloudFormation's short forms read as the
// text they stand for: !Ref X as ${X}, !GetAtt X.Y as ${X.Y}, !Sub as its text;
// of an !If both branches, of other functions what they are applied to.
type value struct{ node *yaml.Node }

// template is template.yaml.
func template(t *testing.T) value {
	t.Helper()
	source, err := os.ReadFile("../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(source, &doc); err != nil {
		t.Fatal(err)
	}
	return value{doc.Content[0]}
}

// at follows names into the template; what is not there is a value that is
// nothing.
func (v value) at(names ...string) value {
	for _, name := range names {
		next := value{}
		for k, child := range v.members() {
			if k == name {
				next = child
			}
		}
		v = next
	}
	return v
}

func (v value) is() bool { return v.node != nil }

// members are a mapping's values by name, in its order.
func (v value) members() func(yield func(string, value) bool) {
	return func(yield func(string, value) bool) {
		if v.node == nil || v.node.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(v.node.Content); i += 2 {
			if !yield(v.node.Content[i].Value, value{v.node.Content[i+1]}) {
				return
			}
		}
	}
}

// list is a sequence's values; of anything else, itself.
func (v value) list() []value {
	if v.node == nil {
		return nil
	}
	if v.node.Kind != yaml.SequenceNode {
		return []value{v}
	}
	var all []value
	for _, n := range v.node.Content {
		all = append(all, value{n})
	}
	return all
}

func (v value) text() string {
	if v.node == nil {
		return ""
	}
	switch {
	case v.node.Tag == "!Ref" || v.node.Tag == "!GetAtt":
		return "${" + v.node.Value + "}"
	case v.node.Kind == yaml.ScalarNode:
		return v.node.Value
	}
	var parts []string
	for _, n := range v.node.Content {
		parts = append(parts, value{n}.text())
	}
	return strings.TrimPrefix(v.node.Tag, "!") + "[" + strings.Join(parts, " ") + "]"
}

func (v value) texts() []string {
	var all []string
	for _, e := range v.list() {
		all = append(all, e.text())
	}
	slices.Sort(all)
	return all
}

func (v value) number(t *testing.T) int {
	t.Helper()
	var n int
	if _, err := fmt.Sscan(v.text(), &n); err != nil {
		t.Fatalf("%q is no number", v.text())
	}
	return n
}

// resources are the resources of a type, by their logical names.
func resources(t *testing.T, kind string) map[string]value {
	t.Helper()
	all := map[string]value{}
	for name, r := range template(t).at("Resources").members() {
		if r.at("Type").text() == kind {
			all[name] = r.at("Properties")
		}
	}
	if len(all) == 0 {
		t.Fatalf("the template has no %s", kind)
	}
	return all
}
