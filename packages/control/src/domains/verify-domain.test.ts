import type { AccountId } from '@berth/kit';
import type { KyselyPlugin } from 'kysely';
import { describe, expect, test } from 'vitest';
import { createDeploymentStore } from '../deployments/store/deployment-store.ts';
import { createDomainFixture, type DomainFixture } from './testing/domain-fixture.ts';

const DOMAIN = 'shop.example.com';
const verify = (fixture: DomainFixture, key?: string) =>
  fixture.call('POST', '/v1/domain/verify', { domain: DOMAIN }, key);

/** Answers as the platform's own listener does. */
function leadHere(fixture: DomainFixture): void {
  fixture.web = async ({ headers, url }, response) => {
    const host = (headers.host ?? '').replace(/:\d+$/, '');
    const text = await fixture.domains.findProof(host, url ?? '');
    response.writeHead(text === undefined ? 404 : 200).end(text);
  };
}

describe('a domain is proven', () => {
  test('by a TXT record, among others', async () => {
    await using fixture = await createDomainFixture();
    const { proof } = await fixture.add(DOMAIN, 'shop');
    fixture.txt.set(proof.txt.name, ['v=spf1 -all', ` ${proof.txt.value} `]);
    const { status, body } = await verify(fixture);
    expect([status, body]).toMatchObject([200, { domain: DOMAIN, status: 'active', problems: [] }]);
    expect(body.verified_at).toBe(new Date(fixture.clock.nowMs()).toISOString());
    expect(fixture.changes).toEqual([{ domain: DOMAIN, deployment: 'shop' }]);
    expect(await fixture.domains.routes()).toEqual(new Map([[DOMAIN, 'shop']]));
  });

  test('by a file on its web server', async () => {
    await using fixture = await createDomainFixture();
    const { proof } = await fixture.add(DOMAIN, 'shop');
    fixture.web = (_request, response) => void response.end(`${proof.http.body}\n`);
    expect((await verify(fixture)).body.status).toBe('active');
    expect(fixture.asked).toEqual([proof.http.url.replace('http://', '')]);
  });

  test('by leading here, which Berth answers itself', async () => {
    await using fixture = await createDomainFixture();
    leadHere(fixture);
    await fixture.add(DOMAIN, 'shop');
    expect((await verify(fixture)).body.status).toBe('active');
  });

  test('once: after that nothing is looked for', async () => {
    await using fixture = await createDomainFixture();
    fixture.publish(await fixture.add(DOMAIN, 'shop'));
    await verify(fixture);
    const asked = fixture.asked.length;
    fixture.txt.clear();
    expect((await verify(fixture)).body).toMatchObject({ status: 'active', problems: [] });
    expect([fixture.asked.length, fixture.changes.length]).toEqual([asked, 1]);
  });
});

describe('a domain stays pending', () => {
  test('without a proof, and both ways are told', async () => {
    await using fixture = await createDomainFixture();
    const { proof } = await fixture.add(DOMAIN, 'shop');
    expect((await verify(fixture)).body).toMatchObject({
      status: 'pending',
      problems: [
        { method: 'txt', message: `_berth.${DOMAIN} has no TXT record.` },
        { method: 'http', message: `${proof.http.url} answered 404.` },
      ],
    });
    expect(fixture.changes).toEqual([]);
    expect(await fixture.domains.routes()).toEqual(new Map());
  });

  test.each([
    ['another text', (body: string) => body.slice(0, -1)],
    ['the text among others', (body: string) => `<p>${body}</p>`],
  ])('with %s on the web', async (_what, change) => {
    await using fixture = await createDomainFixture();
    const { proof } = await fixture.add(DOMAIN, 'shop');
    fixture.web = (_request, response) => void response.end(change(proof.http.body));
    fixture.txt.set(proof.txt.name, [change(proof.txt.value)]);
    const { body } = await verify(fixture);
    expect(body.status).toBe('pending');
    // What a web server says is not shown to whoever asks about it.
    expect(JSON.stringify(body.problems)).not.toContain('<p>');
  });

  test('with a server that shows every visitor what they asked for', async () => {
    await using fixture = await createDomainFixture();
    await fixture.add(DOMAIN, 'shop');
    fixture.web = ({ url, headers }, response) => void response.end(`${url} ${JSON.stringify(headers)}`);
    expect((await verify(fixture)).body.status).toBe('pending');
  });

  test('with a redirect, which is not followed', async () => {
    await using fixture = await createDomainFixture();
    const { proof } = await fixture.add(DOMAIN, 'shop');
    fixture.web = ({ url }, response) => {
      if (url === '/elsewhere') response.end(proof.http.body);
      else response.writeHead(302, { location: '/elsewhere' }).end(proof.http.body);
    };
    const { body } = await verify(fixture);
    expect(body.problems[1].message).toContain('redirects are not followed');
    expect(fixture.asked).toHaveLength(1);
  });

  test.each(['127.0.0.2', '10.0.0.1', '169.254.169.254', '::1', '::ffff:127.0.0.1', 'fe80::1'])(
    'with an address inside (%s), which is not asked and not told',
    async (address) => {
      await using fixture = await createDomainFixture({ privateNetworks: [] });
      await fixture.add(DOMAIN, 'shop');
      fixture.addresses.set(DOMAIN, [address]);
      const { body } = await verify(fixture);
      expect(body.problems[1].message).toBe(`${DOMAIN} resolves to a non-public address.`);
      expect(fixture.asked).toEqual([]);
    },
  );

  test('while DNS is down, and that is told', async () => {
    const fail = async () => {
      throw Object.assign(new Error('x'), { code: 'ETIMEOUT' });
    };
    await using fixture = await createDomainFixture({ resolver: { resolveTxt: fail, resolveAddresses: fail } });
    await fixture.add(DOMAIN, 'shop');
    expect((await verify(fixture)).body.problems.map(({ message }: { message: string }) => message)).toEqual([
      `DNS lookup failed for _berth.${DOMAIN} (ETIMEOUT).`,
      `DNS lookup failed for ${DOMAIN} (ETIMEOUT).`,
    ]);
  });
});

describe('two accounts', () => {
  test('claim a domain side by side; the first proof decides', async () => {
    await using fixture = await createDomainFixture();
    const alices = await fixture.add(DOMAIN, 'shop');
    const bobs = await fixture.add(DOMAIN, 'bobs', 'bob');
    expect(bobs.proof).not.toEqual(alices.proof);
    fixture.publish(bobs);
    expect((await verify(fixture)).body.status).toBe('pending');
    expect((await verify(fixture, 'bob')).body.status).toBe('active');
    fixture.publish(alices);
    expect((await verify(fixture)).status).toBe(403);
    const again = await fixture.call('POST', '/v1/domain/add', { domain: DOMAIN, deployment_name: 'shop' });
    expect([again.status, again.body.detail]).toEqual([403, `The domain ${DOMAIN} belongs to another account.`]);
    expect(await fixture.domains.routes()).toEqual(new Map([[DOMAIN, 'bobs']]));
  });

  test('that prove it at once: one has it, the other one is told', async () => {
    await using fixture = await createDomainFixture();
    fixture.publish(await fixture.add(DOMAIN, 'shop'));
    fixture.publish(await fixture.add(DOMAIN, 'bobs', 'bob'));
    const answers = await Promise.all([verify(fixture), verify(fixture, 'bob')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
    expect(fixture.changes).toHaveLength(1);
    expect((await fixture.domains.routes()).size).toBe(1);
  });

  test('that both want it: leading here proves it for neither, a record does', async () => {
    await using fixture = await createDomainFixture();
    leadHere(fixture);
    await fixture.add(DOMAIN, 'bobs', 'bob');
    const alices = await fixture.add(DOMAIN, 'shop');
    for (const key of ['alice', 'bob']) {
      const { body } = await verify(fixture, key);
      expect(body.status).toBe('pending');
      expect(body.problems[1].message).toContain('Publish the TXT record');
    }
    fixture.publish(alices);
    expect((await verify(fixture)).body.status).toBe('active');
  });

  test('a domain that was not added is 404, whoever asks', async () => {
    await using fixture = await createDomainFixture();
    await fixture.add(DOMAIN, 'shop');
    expect((await verify(fixture, 'bob')).status).toBe(404);
  });
});

describe('the answer that Berth gives itself', () => {
  test('is only for that host, that path and that token', async () => {
    await using fixture = await createDomainFixture();
    const { proof } = await fixture.add(DOMAIN, 'shop');
    const { pathname } = new URL(proof.http.url);
    const find = fixture.domains.findProof;
    expect(await find(DOMAIN, pathname)).toBe(proof.http.body);
    expect(await find('other.example.com', pathname)).toBeUndefined();
    for (const path of [`${pathname}x`, pathname.slice(0, -1), `${pathname}/`, `/x${pathname}`, '/', `${pathname}?x`]) {
      expect(await find(DOMAIN, path)).toBeUndefined();
    }
    await fixture.call('POST', '/v1/domain/remove', { domain: DOMAIN });
    expect(await find(DOMAIN, pathname)).toBeUndefined();
  });
});

describe('while a proof is looked for', () => {
  test('others who ask for the same share the look, and an account may have four of them', async () => {
    const gate = Promise.withResolvers<void>();
    let looks = 0;
    const resolveTxt = async () => {
      looks++;
      await gate.promise;
      return [];
    };
    const resolver = { resolveTxt, resolveAddresses: async () => [] };
    let reads = 0;
    const counter: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        reads++;
        return result;
      },
    };
    await using fixture = await createDomainFixture({ resolver }, counter);
    const names = ['a', 'b', 'c', 'd', 'e'].map((label) => `${label}.example.com`);
    for (const domain of names) await fixture.add(domain, 'shop');
    await fixture.add(DOMAIN, 'bobs', 'bob');
    const ask = (domain: string | undefined, key?: string) =>
      fixture.call('POST', '/v1/domain/verify', { domain }, key);
    reads = 0;
    const running = [...names.slice(0, 4), names[0], names[0]].map((domain) => ask(domain));
    await expect.poll(() => looks).toBe(4);
    // Each of the six has read its domain and whose it is: the two look already, with the first.
    await expect.poll(() => reads).toBe(12);
    expect((await ask(names[4])).status).toBe(429);
    const bobs = ask(DOMAIN, 'bob');
    gate.resolve();
    expect((await Promise.all([...running, bobs])).map(({ body }) => body.status)).toEqual(Array(7).fill('pending'));
    expect((await ask(names[4])).status).toBe(200);
    expect(looks).toBe(6);
  });

  test('what was removed and added anew, or is being deleted, is not activated by the old proof', async () => {
    let gate = Promise.withResolvers<void>();
    const found: string[] = [];
    let looks = 0;
    const resolveTxt = async () => {
      looks++;
      const answer = [...found];
      await gate.promise;
      return answer;
    };
    await using fixture = await createDomainFixture({ resolver: { resolveTxt, resolveAddresses: async () => [] } });
    found.push((await fixture.add(DOMAIN, 'shop')).proof.txt.value);
    const first = verify(fixture);
    await expect.poll(() => looks).toBe(1);
    await fixture.call('POST', '/v1/domain/remove', { domain: DOMAIN });
    found.push((await fixture.add(DOMAIN, 'shop')).proof.txt.value);
    gate.resolve();
    expect((await first).status).toBe(409);

    gate = Promise.withResolvers<void>();
    const second = verify(fixture);
    await expect.poll(() => looks).toBe(2);
    await fixture.db.updateTable('deployments').set({ status: 'deleting' }).where('name', '=', 'shop').execute();
    gate.resolve();
    expect((await second).status).toBe(409);
    expect(fixture.changes).toEqual([]);
  });
});

describe('a deployment that goes', () => {
  test('gives its domains up, and tells so', async () => {
    await using fixture = await createDomainFixture();
    fixture.publish(await fixture.add(DOMAIN, 'shop'));
    await verify(fixture);
    await fixture.add('pending.example.com', 'shop');
    await fixture.add('other.example.com', 'blog');
    await fixture.domains.removeAll('acc_alice' as AccountId, 'shop');
    expect(fixture.changes.at(-1)).toEqual({ domain: DOMAIN, deployment: null });
    expect(fixture.changes).toHaveLength(2);
    const { body } = await fixture.call('GET', '/v1/domain/list');
    expect(body.map(({ domain }: { domain: string }) => domain)).toEqual(['other.example.com']);
  });

  test('takes its rows with it even when nobody asked', async () => {
    await using fixture = await createDomainFixture();
    fixture.publish(await fixture.add(DOMAIN, 'shop'));
    await verify(fixture);
    await createDeploymentStore(fixture.db).delete('acc_alice' as AccountId, 'shop');
    expect(await fixture.domains.routes()).toEqual(new Map());
  });
});
