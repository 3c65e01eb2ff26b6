import { describe, expect, it } from 'vitest';
import { verifies } from '../conformance/verifies.ts';
import { deploy, deployed } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { needs } from '../harness/needs.ts';
import { greeter, nodeProject, type ProjectFiles } from '../harness/project-files.ts';
import { request } from '../harness/request.ts';
import { useBerth } from '../harness/use-berth.ts';

const berth = useBerth();

/** Flask under gunicorn, which listens before its worker has imported the application. */
function flask(source: string): ProjectFiles {
  return { 'requirements.txt': 'flask==3.1.2\ngunicorn==23.0.0\n', 'app.py': source };
}

const CROWD = 80;

/** Answers when that many requests are in at once, and 503 when they are not for 20 s. */
const MEETING = `
import threading
from flask import Flask
app = Flask(__name__)
crowd = threading.Barrier(${CROWD})

@app.get("/meet")
def meet():
    try:
        crowd.wait(timeout=20)
    except threading.BrokenBarrierError:
        return "alone", 503
    return "met"

@app.get("/")
def index():
    return "one"
`;

describe('Flask under gunicorn', () => {
  // Fails with 16 threads, and without `lateApplication` in the artifact: the broken revision took the traffic and was DONE.
  it('serves as many requests at once as the concurrency, and does not begin to serve when its import fails', async (context) => {
    await needs(context, 'python', 'pypi');
    verifies('deploy.failure-keeps-old', 'form.concurrency');
    const name = uniqueName('flask');
    await deployed(berth, name, { files: flask(MEETING), fields: { max_instances: '1' } });
    const answers = await Promise.all(Array.from({ length: CROWD }, () => request(berth, name, '/meet')));
    expect(answers.map(({ text }) => text)).toEqual(Array(CROWD).fill('met'));
    const broken = flask(`from flask import Flask\napp = Flask(__name__)\nraise RuntimeError("no database")\n`);
    const { last } = await deploy(berth, name, { files: broken, fields: { max_instances: '1' } });
    expect(last).toMatchObject({ status: 'ERROR', code: 'start_failed' });
    expect(JSON.stringify(last)).toContain('no database');
    expect((await request(berth, name)).text).toBe('one');
  });
});

describe('a health check', () => {
  it('keeps the old revision serving until it passes', async () => {
    verifies('form.health', 'deploy.traffic');
    const name = uniqueName('health');
    const fields = { health: '{"path":"/up","timeout":1}' };
    await deployed(berth, name, { files: greeter('one'), fields });
    const source = `
      import { createServer } from 'node:http';
      let checks = 0;
      createServer((request, response) => {
        if (request.url === '/up') response.statusCode = ++checks < 4 ? 503 : 204;
        response.end(request.url === '/up' ? '' : 'two after ' + checks);
      }).listen(process.env.PORT, '0.0.0.0');`;
    const { events } = await deployed(berth, name, { files: nodeProject(source), fields });
    expect(events.map(({ message }) => message)).toContain(
      'The health check GET /up failed: the service answered 503. Retrying',
    );
    expect((await request(berth, name)).text).toBe('two after 4');
  });
});

describe('use_http2', () => {
  it('of a service that speaks HTTP/1.1 serves it over that, and says so', async () => {
    verifies('form.http2-fallback');
    const name = uniqueName('h1');
    const { events } = await deployed(berth, name, { files: greeter('one'), fields: { use_http2: 'true' } });
    expect(events.some(({ message }) => /speaks HTTP\/1\.1 on \$PORT/.test(message))).toBe(true);
    expect((await request(berth, name)).text).toBe('one');
  });
});
