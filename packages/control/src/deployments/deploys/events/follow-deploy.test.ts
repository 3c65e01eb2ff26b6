import type { DeployEvent } from '@berth/contract';
import type { AccountId } from '@berth/kit';
import { waitUntil } from '@berth/testkit';
import { describe, expect, it } from 'vitest';
import { expectOrdered } from '../testing/invariants.ts';
import { createPlatform, deployForm, type Platform, readEvents } from '../testing/platform.ts';

/** Reads a stream line by line. */
function reader(answer: Response) {
  const chunks = (answer.body ?? new Blob().stream()).pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    async next(): Promise<DeployEvent | undefined> {
      for (;;) {
        const end = text.indexOf('\n');
        if (end >= 0) {
          const line = text.slice(0, end);
          text = text.slice(end + 1);
          return JSON.parse(line) as DeployEvent;
        }
        const { done, value } = await chunks.read();
        if (done) return undefined;
        text += value;
      }
    },
    leave: () => chunks.cancel(),
  };
}

/** A deploy whose build prints `line` for each call, and ends with the gate. */
async function talkingDeploy(platform: Platform) {
  const gate = Promise.withResolvers<void>();
  const started = Promise.withResolvers<(line: string) => void | Promise<void>>();
  platform.builder.whenBuilding(async ({ onLine }) => {
    started.resolve((line) => onLine(line, true));
    await gate.promise;
  });
  const answer = await platform.call('POST', '/v1/deploy', { form: deployForm('shop') });
  return { answer, say: await started.promise, end: gate.resolve };
}

describe('the stream of a deploy', () => {
  it('is NDJSON that nothing on the way may hold back, and comes line by line', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const { answer, say, end } = await talkingDeploy(platform);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/x-ndjson',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-request-id': expect.any(String),
    });
    const stream = reader(answer);
    const seen = [await stream.next(), await stream.next(), await stream.next()];
    expect(seen.map((event) => event?.seq)).toEqual([1, 2, 3]);
    for (const line of ['a', 'b']) {
      await say(line);
      expect(await stream.next()).toMatchObject({ status: 'BUILDING', message: line, log: true });
    }
    end();
    while (seen.at(-1)) seen.push(await stream.next());
    expect(seen.at(-2)?.status).toBe('DONE');
  });

  it('says an empty line after 15 s of silence, which is no event', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const { answer, say, end } = await talkingDeploy(platform);
    const stream = reader(answer);
    for (let count = 0; count < 3; count++) await stream.next();
    for (let count = 0; count < 2; count++) {
      const beat = stream.next();
      await platform.clock.elapse(14_999);
      await platform.clock.elapse(1);
      expect(await beat).toEqual({
        status: 'BUILDING',
        message: '',
        time: new Date(platform.clock.nowMs()).toISOString(),
        deploy_id: expect.any(String),
      });
    }
    await say('on');
    expect(await stream.next()).toMatchObject({ message: 'on', seq: 4 });
    end();
  });

  it('may be left; the deploy goes on', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const { answer, end } = await talkingDeploy(platform);
    const stream = reader(answer);
    const deployId = (await stream.next())?.deploy_id;
    await stream.leave();
    end();
    const events = await readEvents(await platform.call('GET', `/v1/deploys/${deployId}/events`));
    expectOrdered(events);
    expect(events.at(-1)?.status).toBe('DONE');
  });

  it('ends when the platform closes, and is taken up after the next start', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const { answer } = await talkingDeploy(platform);
    const read = readEvents(answer);
    await platform.run.deployments.close(1_000);
    const deployId = (await read).at(-1)?.deploy_id ?? '';
    expect((await read).every((event) => event.status === 'BUILDING')).toBe(true);
    // Fails when a client that comes at the last moment gets nothing, and so no ID to go on with.
    const { signal } = new AbortController();
    const query = { account: 'acc_alice' as AccountId, deployId, after: 0, signal };
    expect((await Array.fromAsync(platform.run.deployments.follow(query)))[0]).toEqual((await read)[0]);
    await platform.kill();
    platform.builder.whenBuilding(() => {});
    await platform.boot();
    const events = await readEvents(await platform.call('GET', `/v1/deploys/${deployId}/events`));
    expectOrdered(events);
    expect(events.at(-1)?.status).toBe('DONE');
    expect(events.map((event) => event.message)).toContain('Rebuilding after a platform restart');
  });
});

describe('following a deploy', () => {
  it('replays and goes on, without a gap and without a double, from any place', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const { answer, say, end } = await talkingDeploy(platform);
    const deployId = (await reader(answer).next())?.deploy_id;
    const followers: Promise<DeployEvent[]>[] = [];
    for (let line = 0; line < 1_500; line++) {
      const said = say(`line ${line}`);
      if (line % 100 === 0) {
        const route = `/v1/deploys/${deployId}/events?after=${line % 700}`;
        followers.push(platform.call('GET', route).then(readEvents));
      }
      if (line % 250 === 0) await said;
    }
    end();
    const all = await readEvents(await platform.call('GET', `/v1/deploys/${deployId}/events`));
    expectOrdered(all);
    expect(all.filter((event) => event.log).map((event) => event.message)).toEqual(
      Array.from({ length: 1_500 }, (_line, index) => `line ${index}`),
    );
    for (const [index, follower] of followers.entries()) {
      expect(await follower).toEqual(all.slice((index * 100) % 700));
    }
  });

  it('of one that has ended is over at once', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const all = await platform.deploy('shop');
    const route = `/v1/deploys/${all[0]?.deploy_id}/events`;
    expect(await readEvents(await platform.call('GET', `${route}?after=${all.length - 1}`))).toEqual(all.slice(-1));
    expect(await readEvents(await platform.call('GET', `${route}?after=${all.length}`))).toEqual([]);
    expect(await readEvents(await platform.call('GET', `${route}?after=999999`))).toEqual([]);
    for (const after of ['-1', 'x', '1.5', '', '9'.repeat(10)]) {
      expect((await platform.call('GET', `${route}?after=${after}`)).status).toBe(422);
    }
  });

  it('holds nothing when its reader has gone', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const { answer, end } = await talkingDeploy(platform);
    const stream = reader(answer);
    for (let count = 0; count < 3; count++) await stream.next();
    await waitUntil('it waits for events', () => platform.clock.pending === 3);
    await stream.leave();
    // What is left is the heartbeat of the leases, and the meter of the build.
    await waitUntil('its timer is gone', () => platform.clock.pending === 2);
    end();
  });
});
