import { expect, test } from 'vitest'
import { reachableFrom, readJsonHints, readMessages } from './read-protobuf.ts'

const proto = `
package k8s.io.api.core.v1;

// A comment = 1;
message Box {
  // Some words.
  optional .k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta metadata = 1;
  repeated Item Items = 2;
  map<string, string> labels = 3;
  optional BoxSource boxSource = 4;
}

message BoxSource {
  optional int32 size = 1;
}

message Item {
  optional string name = 1;
}

message Unrelated {
  optional bool yes = 1;
}
`

const go = [
  'type Box struct {',
  '\tmetav1.TypeMeta `json:""`',
  '\tmetav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`',
  '\t// Some words.',
  '\tItems []Item `json:"items" patchStrategy:"merge" protobuf:"bytes,2,rep,name=Items"`',
  '\tBoxSource `json:"" protobuf:"bytes,4,opt,name=boxSource"`',
  '}',
  'type BoxSource struct {',
  '\tSize *int32 `json:"size,omitempty" protobuf:"varint,1,opt,name=size"`',
  '}',
].join('\n')

test('what is reachable is written down with the names that JSON has for it', () => {
  const hints = readJsonHints(go, 'k8s.io.api.core.v1')
  expect(reachableFrom(['k8s.io.api.core.v1.Box'], readMessages(proto), hints)).toEqual({
    'core.v1.Box': '1 ?metadata meta.v1.ObjectMeta, 2 items []core.v1.Item, 3 labels {}string, 4 ^ core.v1.BoxSource',
    'core.v1.BoxSource': '1 size int32',
    'core.v1.Item': '1 name string',
  })
})
