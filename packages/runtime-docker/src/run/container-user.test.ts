import { expect, test } from 'vitest';
import { chooseUser } from './container-user.ts';

const FILES = {
  passwd:
    'root:x:0:0:root:/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\ntoor:x:0:0::/:/bin/sh\nodd:x:7:0::/:/bin/sh\n',
  group: 'root:x:0:\nstaff:x:50:node\n',
};

test.each([
  ['', 10_001, 10_001, true],
  ['root', 10_001, 10_001, true],
  ['0:50', 10_001, 10_001, true],
  ['toor', 10_001, 10_001, true],
  ['node', 1_000, 1_000, false],
  ['1000', 1_000, 1_000, false],
  ['node:staff', 1_000, 50, false],
  ['node:root', 1_000, 1_000, false],
  ['odd', 7, 7, false],
  ['4321', 4_321, 4_321, false],
])('USER %s', (text, uid, gid, isReplaced) => {
  expect(chooseUser(text, FILES, false)).toMatchObject({ uid, gid, isReplaced });
});

test('whoever may be root is', () => {
  expect(chooseUser('', FILES, true)).toMatchObject({ uid: 0, gid: 0, isReplaced: false });
  expect(chooseUser('toor', FILES, true)).toMatchObject({ uid: 0, gid: 0 });
  expect(chooseUser('odd', FILES, true)).toMatchObject({ uid: 7, gid: 0 });
});

test.each(['nobody-knows', 'node:nobodies', '99999999999'])('%s is nobody', (text) => {
  expect(chooseUser(text, FILES, false)).toBeUndefined();
});
