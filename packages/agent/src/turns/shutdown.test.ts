import { expect, test } from 'vitest';
import { openTestAgent } from '../testing/open-test-agent.ts';
import { readTurn } from '../testing/read-turn.ts';

const say = { messages: [{ role: 'user', content: 'x' }] };

test('an agent that is closed lets its turns end, and their readers read the end', async () => {
  const go = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  await using fixture = await openTestAgent({
    async *handler() {
      yield 'first ';
      begun.resolve();
      await go.promise;
      yield 'last';
    },
  });
  const response = await fixture.call('alice', 'POST', '/?id=c1', say);
  await begun.promise;
  const closed = fixture.agent.close({ drainMs: 10_000 });
  const refused = await fixture.call('alice', 'POST', '/?id=c2', say).then(
    ({ status }) => status,
    () => 'no connection',
  );
  expect([503, 'no connection']).toContain(refused);
  go.resolve();
  expect(await readTurn(response)).toMatchObject({ text: 'first last', isDone: true });
  await closed;
});

test('a turn that does not end in that time is told to be interrupted', async () => {
  const begun = Promise.withResolvers<void>();
  await using fixture = await openTestAgent({
    async *handler({ signal }) {
      yield 'half';
      begun.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
  });
  const response = await fixture.call('alice', 'POST', '/?id=c1', say);
  await begun.promise;
  const closed = fixture.agent.close({ drainMs: 10 });
  const turn = await readTurn(response);
  expect(turn).toMatchObject({ text: 'half', isDone: true });
  expect(turn.frames.at(-1)).toEqual({ type: 'status', status: 'interrupted' });
  await closed;
});
