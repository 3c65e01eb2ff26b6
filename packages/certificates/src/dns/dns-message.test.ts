import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkResponse, encodeUpdate, signMessage } from './dns-message.ts';

const KEY = { name: 'berth', secret: Buffer.from('a key of thirty-two bytes, so to') };
const RECORD = { name: '_acme-challenge.apps.berth.test', value: 'abc-_1' };
const NOW = 1_790_000_000;

// RFC 2136 2.3 to 2.5.2. Fails when an update would remove other values of the name, such as those of another order.
test('an update adds one value, or removes that value alone', () => {
  const added = encodeUpdate(7, 'berth.test', 'add', RECORD).toString('hex');
  const removed = encodeUpdate(7, 'berth.test', 'remove', RECORD).toString('hex');
  const zone = '056265727468047465737400' + '0006' + '0001';
  const name = '0f5f61636d652d6368616c6c656e67650461707073056265727468047465737400';
  const data = `000706${Buffer.from('abc-_1').toString('hex')}`;
  expect(added).toBe(`000728000001000000010000${zone}${name}001000010000003c${data}`);
  expect(removed).toBe(`000728000001000000010000${zone}${name}001000fe00000000${data}`);
});

test('names that are none and values that are too long are refused', () => {
  for (const name of ['a..b', 'a b.test', '*.berth.test', `${'a'.repeat(64)}.test`, 'a\0.test', '']) {
    expect(() => encodeUpdate(1, 'berth.test', 'add', { name, value: '' })).toThrow('is not a DNS name');
  }
  expect(() => encodeUpdate(1, 'berth.test', 'add', { ...RECORD, value: 'a'.repeat(256) })).toThrow('255 bytes');
});

// Fails when anyone between the server and Berth can say that an update took place.
test('a response without a signature of the key is refused', () => {
  const request = signMessage(encodeUpdate(7, 'berth.test', 'add', RECORD), KEY, NOW);
  const plain = Buffer.alloc(12);
  plain.writeUInt16BE(7, 0);
  plain.writeUInt16BE(0xa800, 2);
  expect(() => checkResponse(plain, request, KEY, NOW)).toThrow("isn't signed with the key berth");
  // The request itself, sent back: its signature doesn't include that of a request.
  expect(() => checkResponse(request.message, request, KEY, NOW)).toThrow("isn't signed with the key berth");
  const other = signMessage(plain, { ...KEY, secret: Buffer.from('another key') }, NOW);
  expect(() => checkResponse(other.message, request, KEY, NOW)).toThrow("isn't signed with the key berth");
  plain.writeUInt16BE(0xa805, 2);
  expect(() => checkResponse(plain, request, KEY, NOW)).toThrow('refused the update: REFUSED');
  plain.writeUInt16BE(8, 0);
  expect(() => checkResponse(plain, request, KEY, NOW)).toThrow('something else than a response');
});

test('no response is read without end or accepted by chance', () => {
  const request = signMessage(encodeUpdate(7, 'berth.test', 'add', RECORD), KEY, NOW);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const response = Buffer.concat([Buffer.from([0, 7, 0xa8, 0]), bytes]);
      expect(() => checkResponse(response, request, KEY, NOW)).toThrow(Error);
    }),
  );
});
