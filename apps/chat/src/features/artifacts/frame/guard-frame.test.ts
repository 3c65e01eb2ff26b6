// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { guardFrame, removeNestedFrames } from './guard-frame.ts';

it('removes what goes around the policy, and gives storage that lasts as long as the frame', () => {
  const scope = {
    RTCPeerConnection: class {},
    WebTransport: class {},
    fetch: () => {},
  } as unknown as typeof globalThis;
  guardFrame(scope);
  expect([scope.RTCPeerConnection, scope.WebTransport, typeof scope.fetch]).toEqual([undefined, undefined, 'function']);
  scope.localStorage.setItem('count', 1 as unknown as string);
  expect([scope.localStorage.getItem('count'), scope.localStorage.length, scope.localStorage.key(0)]).toEqual([
    '1',
    1,
    'count',
  ]);
  expect(scope.sessionStorage.getItem('count')).toBeNull();
  scope.localStorage.clear();
  expect(scope.localStorage.getItem('count')).toBeNull();
});

// Fails when a nested frame survives: in it, the removed interfaces exist again.
it('removes nested frames before they load', async () => {
  removeNestedFrames(document);
  document.body.innerHTML = '<p><iframe srcdoc="x"></iframe></p><b>kept</b>';
  await new Promise((resolve) => setImmediate(resolve));
  expect(document.body.innerHTML).toBe('<p></p><b>kept</b>');
});
