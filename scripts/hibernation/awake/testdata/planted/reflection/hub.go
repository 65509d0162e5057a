// Package reflection calls what nothing names.
package reflection

import (
	"reflect"

	"example.org/dep/secret"
)

// Run is a hub's code.
func Run(name string) { reflect.ValueOf(secret.Handler{}).MethodByName(name).Call(nil) }
