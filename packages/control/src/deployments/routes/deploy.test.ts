import { Readable } from 'node:stream';
import { createError } from '@berth/contract';
import { describe, expect, it } from 'vitest';
import { createPlatform, deployForm, type Platform, readEvents } from '../deploys/testing/platform.ts';

interface Issue {
  readonly loc: readonly string[];
  readonly msg: string;
  readonly type: string;
}

async function refusal(platform: Platform, form: FormData): Promise<string[]> {
  const answer = await platform.call('POST', '/v1/deploy', { form });
  expect(answer.status).toBe(422);
  const { detail } = (await answer.json()) as { detail: Issue[] };
  return detail.map((issue) => `${issue.loc.join('.')} ${issue.type}`);
}

/** Nothing of a refused deploy may be left. */
async function expectNothing(platform: Platform): Promise<void> {
  expect(await platform.builder.archives()).toEqual([]);
  expect(await platform.run.db.selectFrom('deploys').selectAll().execute()).toEqual([]);
  expect(await platform.run.db.selectFrom('deployments').selectAll().execute()).toEqual([]);
}

const send = (platform: Platform, body: string | FormData | undefined, contentType?: string) =>
  platform.run.api.request('/v1/deploy', {
    method: 'POST',
    headers: { 'X-API-Key': 'alice', ...(contentType === undefined ? {} : { 'Content-Type': contentType }) },
    ...(body === undefined ? {} : { body }),
  });

describe('a deploy form', () => {
  it.each([
    ['function_name', 'Upper', 'name_invalid'],
    ['function_name', 'a'.repeat(64), 'name_invalid'],
    ['function_name', 'api', 'name_invalid'],
    ['function_name', 'intranet', 'name_invalid'],
    ['function_name', '', 'name_invalid'],
    ['port', '0', 'too_small'],
    ['port', 'x', 'invalid_format'],
    ['memory', '127Mi', 'memory_out_of_range'],
    ['memory', '1gb', 'memory_invalid'],
    ['cpu', '3', 'cpu_not_allowed'],
    ['timeout', '3601', 'too_big'],
    ['concurrency', '0', 'too_small'],
    ['max_instances', '1001', 'too_big'],
    ['min_instances', '1001', 'too_big'],
    ['session_affinity', 'maybe', 'invalid_value'],
    ['use_http2', '2', 'invalid_value'],
    ['volumes', 'data', 'json_invalid'],
    ['volumes', '[]', 'invalid_type'],
    ['schedule', '* * * *', 'cron_invalid'],
    ['timezone', 'Mars', 'timezone_invalid'],
    ['health', 'healthz', 'json_invalid'],
    ['source_object', 'volume/app.tar.gz', 'source_contradiction'],
  ])('with %s = %j is 422 there, and stores nothing', async (field, value, type) => {
    await using platform = await createPlatform();
    await platform.boot();
    expect(await refusal(platform, deployForm('shop', { fields: { [field]: value } }))).toEqual([
      `body.${field} ${type}`,
    ]);
    await expectNothing(platform);
  });

  it('lists every wrong field', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const form = deployForm('Shop', { fields: { port: '0', volumes: '{"data":"x"}', schedule: 'x' } });
    form.append('timeout', '1');
    form.append('timeout', '2');
    form.delete('source_archive.0');
    expect((await refusal(platform, form)).sort()).toEqual([
      'body.function_name name_invalid',
      'body.port too_small',
      'body.schedule cron_invalid',
      'body.source_archive.0 missing',
      'body.timeout duplicate_field',
      'body.volumes.data mount_path_invalid',
    ]);
    expect((await refusal(platform, new FormData())).sort()).toEqual([
      'body.function_name missing',
      'body.source_archive.0 missing',
      'body.volumes missing',
    ]);
    await expectNothing(platform);
  });

  it('may have its parts in any order, unknown ones, and fields sent as files', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const form = new FormData();
    form.set('source_archive', new Blob(['an archive']), 'a.tgz');
    form.set('icon', new Blob(['x'.repeat(300_000)]), 'icon.png');
    form.set('colour', 'red');
    form.set('__proto__', 'x');
    form.set('volumes', new Blob(['{"/data":"records"}']), 'volumes.json');
    form.set('port', ' 3000 ');
    form.set('memory', '');
    form.set('function_name', 'shop');
    const events = await readEvents(await platform.call('POST', '/v1/deploy', { form }));
    expect(events.at(-1)?.status).toBe('DONE');
    expect(platform.run.gateway.routes.get('shop')).toMatchObject({ port: 3000, memoryBytes: 2 ** 30 });
    expect(platform.builder.requests[0]?.archive.sizeBytes).toBe('an archive'.length);
  });

  it('has one archive that is not empty, at the name it was sent under', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    for (const name of ['source_archive.0', 'source_archive']) {
      const form = deployForm('shop');
      form.delete('source_archive.0');
      form.set(name, new Blob([]), 'empty.tar.gz');
      expect(await refusal(platform, form)).toEqual([`body.${name} archive_empty`]);
    }
    const two = deployForm('shop');
    two.set('source_archive', new Blob(['another']), 'b.tar.gz');
    expect(await refusal(platform, two)).toEqual(['body.source_archive duplicate_field']);
    await expectNothing(platform);
  });

  it('is bounded in the number and length of its fields', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const many = deployForm('shop');
    for (let count = 0; count < 100; count++) many.set(`field-${count}`, 'x');
    expect(await refusal(platform, many)).toEqual(['body too_many_fields']);
    const long = await refusal(
      platform,
      deployForm('shop', { fields: { volumes: `{"/a":"${'v'.repeat(300_000)}"}` } }),
    );
    expect(long).toContain('body.volumes too_long');
    await expectNothing(platform);
  });

  it('must be a whole multipart form', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const type = 'multipart/form-data; boundary=b';
    const part = (name: string, text: string) =>
      `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;
    const archive = '--b\r\nContent-Disposition: form-data; name="source_archive.0"; filename="a"\r\n\r\nbytes';
    const fields = part('function_name', 'shop') + part('volumes', '{}');
    for (const [body, contentType, status] of [
      ['{}', 'application/json', 415],
      ['a=b', 'application/x-www-form-urlencoded', 415],
      ['x', 'multipart/mixed; boundary=b', 415],
      [undefined, undefined, 415],
      [fields, 'multipart/form-data', 400],
      [fields + archive, type, 400],
      [`${fields}${archive}\r\n--b`, type, 400],
      [fields, type, 400],
      ['', type, 400],
      ['no form at all', type, 400],
      [`${fields}--b--\r\n`, type, 422],
      [`${fields}${archive}\r\n--b--\r\nand an epilogue`, type, 200],
    ] as const) {
      if (status === 200) await expectNothing(platform);
      const answer = await send(platform, body, contentType);
      expect([body, answer.status]).toEqual([body, status]);
      if (status === 400) expect(await answer.json()).toEqual({ detail: expect.stringMatching(/\w+ \w+/) });
      else await answer.text();
    }
  });
});

describe('who may deploy', () => {
  it('is not one who may only read, whose body is not even read', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    let isRead = false;
    const body = new ReadableStream(
      {
        pull: () => {
          isRead = true;
        },
      },
      { highWaterMark: 0 },
    );
    const request = new Request('http://localhost/v1/deploy', {
      method: 'POST',
      headers: { 'X-API-Key': 'alice-read', 'Content-Type': 'multipart/form-data; boundary=b' },
      body,
      ...{ duplex: 'half' },
    });
    expect([(await platform.run.api.fetch(request)).status, isRead]).toEqual([403, false]);
    expect((await platform.call('POST', '/v1/deploy', { key: 'nobody', form: deployForm('shop') })).status).toBe(401);
    await expectNothing(platform);
  });

  it('is not another account than the one that has the name', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    await platform.deploy('shop');
    const answer = await platform.call('POST', '/v1/deploy', { key: 'bob', form: deployForm('shop') });
    expect([answer.status, await answer.json()]).toEqual([
      403,
      { detail: 'The name "shop" belongs to another account.' },
    ]);
    expect(await platform.builder.archives()).toEqual([]);
    expect(platform.run.gateway.calls).toHaveLength(1);
  });
});

describe('source_object', () => {
  const objectForm = (object: string) => {
    const form = deployForm('shop', { fields: { source_object: object } });
    // HTML forms send an empty file part where no file was chosen.
    form.set('source_archive.0', new Blob([]), '');
    return form;
  };

  it('is 501 while there are no volumes to read from', async () => {
    await using platform = await createPlatform();
    await platform.boot();
    const answer = await platform.call('POST', '/v1/deploy', { form: objectForm('uploads/app.tar.gz') });
    expect([answer.status, await answer.json()]).toEqual([
      501,
      { detail: expect.stringContaining('source_archive.0') },
    ]);
    await expectNothing(platform);
  });

  it('is read from the account’s volume where there are', async () => {
    const opened: string[] = [];
    await using platform = await createPlatform({
      openObject: async (account, volume, path) => {
        opened.push(`${account} ${volume} ${path}`);
        if (path === 'missing') throw createError('not_found', 'There is no object "missing" in "uploads".');
        return Readable.from([Buffer.from('from a volume')]);
      },
    });
    await platform.boot();
    const answer = await platform.call('POST', '/v1/deploy', { form: objectForm('/uploads/a/app.tar.gz') });
    expect((await readEvents(answer)).at(-1)?.status).toBe('DONE');
    expect(opened).toEqual(['acc_alice uploads a/app.tar.gz']);
    expect(platform.builder.requests[0]?.archive.sizeBytes).toBe('from a volume'.length);
    expect(await refusal(platform, objectForm('uploads/missing'))).toEqual([
      'body.source_object source_object_not_found',
    ]);
  });
});
