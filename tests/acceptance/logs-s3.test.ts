import { expect, it } from 'vitest';
import { deployed } from '../harness/deploy.ts';
import { describeInBucket } from '../harness/in-bucket.ts';
import { uniqueName } from '../harness/names.ts';
import { request } from '../harness/request.ts';
import { waitFor } from '../harness/wait-for.ts';

const LINES = 12_000;
/** Prints 10 MB, which is more than a segment, when it is asked to. */
const SERVICE = {
  'package.json': '{"name":"printer","scripts":{"start":"node main.js"}}',
  'main.js': `require('http').createServer((request, response) => {
    if (request.url === '/print') {
      for (let n = 0; n < ${LINES}; n++) {
        const severity = n % 1000 === 0 ? 'ERROR' : 'INFO';
        process.stdout.write(JSON.stringify({ severity, message: 'line ' + n, n, filler: 'x'.repeat(800) }) + '\\n');
      }
    }
    response.end('ok');
  }).listen(process.env.PORT);`,
};

describeInBucket('logs', 'BERTH_S3_LOG_BUCKET', (place) => {
  it('are searched and asked in SQL as those on the disk', async () => {
    const name = uniqueName('printer');
    await deployed(place.berth, name, { files: SERVICE });
    expect((await request(place.berth, name, '/print')).status).toBe(200);
    await waitFor(
      'a segment is in the bucket',
      async () => (await place.server.keys()).some((key) => key.includes(`/${name}/`)),
      {
        timeoutMs: 60_000,
      },
    );
    expect(await place.server.keys()).toEqual([
      expect.stringMatching(new RegExp(`^logs/acc_[^/]+/${name}/[^/]+\\.parquet$`)),
    ]);
    const sql = await place.berth.post('/v1/sql', {
      query: `SELECT COUNT(*) AS n, SUM(json_payload.n) AS sum FROM logs WHERE log_name = 'stdout' AND json_payload.n IS NOT NULL`,
    });
    expect(await sql.json()).toEqual([{ n: LINES, sum: (LINES * (LINES - 1)) / 2 }]);
    const found = await place.berth.post('/v1/deployment/logs', {
      deployment_name: name,
      query: 'severity>=ERROR jsonPayload.n<5000',
      limit: 100,
    });
    const { logs } = (await found.json()) as { logs: { message: string }[] };
    expect(logs.map((entry) => entry.message)).toEqual(['line 0', 'line 1000', 'line 2000', 'line 3000', 'line 4000']);
  }, 120_000);
});
