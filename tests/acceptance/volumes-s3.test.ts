import { expect, it } from 'vitest';
import { deployed, postDeploy } from '../harness/deploy.ts';
import { expectIssues, placesOf } from '../harness/error-body.ts';
import { describeInBucket } from '../harness/in-bucket.ts';
import { uniqueName } from '../harness/names.ts';
import { greeter } from '../harness/project-files.ts';
import { request } from '../harness/request.ts';
import { packProject } from '../harness/tar.ts';
import { volumeClient } from '../harness/volumes.ts';

describeInBucket('volumes', 'BERTH_S3_BUCKET', (place) => {
  it('go in and out by the bucket’s own URLs', async () => {
    const volume = volumeClient(place.berth, uniqueName('vol'));
    await volume.create();
    expect((await volume.put('dir/é.txt', 'in a bucket')).status).toBe(200);
    expect(await volume.sign('upload', 'x')).toContain(place.server.options.endpoint);
    expect(await volume.paths()).toEqual(['dir/é.txt']);
    expect(await volume.get('dir/é.txt')).toBe('in a bucket');
    expect(await volume.row()).toMatchObject({ object_count: 1, size_bytes: 11 });
    await place.berth.post('/v1/volume/delete-object', { volume: volume.name, path: 'dir/é.txt' });
    expect(await volume.paths()).toEqual([]);
  });

  it('take resumable uploads by way of the platform', async () => {
    const volume = volumeClient(place.berth, uniqueName('vol'));
    await volume.create();
    const resumable = { volume: volume.name, object: 'a/film.mov', resumable: true };
    const signed = (await (await place.berth.post('/v1/volume/upload', resumable)).json()) as { url: string };
    const headers = { 'Tus-Resumable': '1.0.0' };
    const created = await fetch(signed.url, { method: 'POST', headers: { ...headers, 'Upload-Length': '9000000' } });
    const url = created.headers.get('location') ?? '';
    const content = new Uint8Array(9_000_000).map((_, index) => index % 251);
    for (const [from, to] of [
      [0, 1_000],
      [1_000, 9_000_000],
    ] as const) {
      const type = 'application/offset+octet-stream';
      const sent = await fetch(url, {
        method: 'PATCH',
        headers: { ...headers, 'Content-Type': type, 'Upload-Offset': String(from) },
        body: content.subarray(from, to),
      });
      expect(sent.headers.get('upload-offset')).toBe(String(to));
    }
    const there = await fetch(await volume.sign('download', 'a/film.mov'));
    expect(Buffer.from(await there.arrayBuffer()).equals(content)).toBe(true);
    expect(await volume.row()).toMatchObject({ object_count: 1, size_bytes: 9_000_000 });
  });

  it('cannot be mounted, which a deploy is told at its field; an archive in one is deployed', async () => {
    const volume = volumeClient(place.berth, uniqueName('vol'));
    await volume.create();
    const files = greeter('from a bucket');
    const volumes = JSON.stringify({ '/data': volume.name });
    const refused = await expectIssues(
      await postDeploy(place.berth, uniqueName('mounting'), { files, fields: { volumes } }),
    );
    expect([placesOf(refused), refused[0]?.type]).toEqual([['body.volumes'], 'not_mountable']);
    await volume.put('app.tar.gz', new Uint8Array(packProject(files)));
    const name = uniqueName('from-bucket');
    await deployed(place.berth, name, { fields: { source_object: `${volume.name}/app.tar.gz` } });
    expect((await request(place.berth, name)).text).toBe('from a bucket');
  });
});
