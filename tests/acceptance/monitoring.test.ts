import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, expect, it } from 'vitest';
import { REPO, startBerth } from '../harness/berth.ts';
import { deployed } from '../harness/deploy.ts';
import { freePort } from '../harness/free-port.ts';
import { needs } from '../harness/needs.ts';
import { greeter } from '../harness/project-files.ts';
import { request } from '../harness/request.ts';
import { waitFor } from '../harness/wait-for.ts';

const run = promisify(execFile);
const FOLDER = path.join(REPO, 'deploy/monitoring');
const ALERTS = path.join(FOLDER, 'alerts.yml');

interface Dashboard {
  readonly panels: readonly { readonly id: number; readonly targets: readonly { readonly expr: string }[] }[];
}

/** The expressions of the dashboard, with Grafana's variables filled in. */
function dashboardExpressions(): readonly string[] {
  const { panels } = JSON.parse(readFileSync(path.join(FOLDER, 'dashboard.json'), 'utf8')) as Dashboard;
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  return panels.flatMap(({ targets }) =>
    targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m').replaceAll(/\$(instance|deployment)/g, '.*')),
  );
}

beforeEach((context) => needs(context, 'prometheus'));

it('the alert rules are valid, fire when they should, and are silent on a healthy server', async () => {
  await run('promtool', ['check', 'config', path.join(FOLDER, 'prometheus.yml')]);
  await run('promtool', ['test', 'rules', path.join(FOLDER, 'alerts.test.yml')]);
  const names = (file: string, pattern: RegExp) =>
    [...readFileSync(path.join(FOLDER, file), 'utf8').matchAll(pattern)].map(([, name]) => name);
  // Fails when an alert has no test of both.
  const tested = names('alerts.test.yml', /alertname: (\w+)/g);
  expect(tested.toSorted()).toEqual(
    names('alerts.yml', /alert: (\w+)/g)
      .flatMap((name) => [name, name])
      .toSorted(),
  );
});

// Fails when a metric is renamed, or when a rule or panel is wrong in a way that only Prometheus notices.
it('Prometheus evaluates every rule and every panel over a real server, whose metrics they name', {
  timeout: 120_000,
}, async () => {
  const fixture = (name: string) => path.join(REPO, 'tests/fixtures/tls', name);
  const port = await freePort();
  const env = { BERTH_ADMIN_PORT: '0', BERTH_TLS_PORT: '0', BERTH_TLS_CERT: fixture('hello.test.crt') };
  await using berth = await startBerth({ env: { ...env, BERTH_TLS_KEY: fixture('hello.test.key') } });
  await deployed(berth, 'watched', { files: greeter('hi') });
  expect((await request(berth, 'watched')).status).toBe(200);
  const adminUrl = new URL(/Metrics\s+(http:\S+)/.exec(berth.output)?.[1] ?? '');
  const text = await (await fetch(adminUrl)).text();
  const expressions = dashboardExpressions();
  const used = [readFileSync(ALERTS, 'utf8'), ...expressions].flatMap((one) => {
    return [...one.matchAll(/\b(berth|process|nodejs)_\w+/g)].map(([name]) => name);
  });
  const exposed = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
  const missing = used.filter((name) => !exposed.has(name) && !exposed.has(name.replace(/_(bucket|count|sum)$/, '')));
  expect(missing).toEqual([]);

  using folder = mkdtempDisposableSync(path.join(tmpdir(), 'berth-prometheus-'));
  const config = readFileSync(path.join(FOLDER, 'prometheus.yml'), 'utf8')
    .replace('alerts.yml', ALERTS)
    .replace('127.0.0.1:9464', adminUrl.host)
    .replace('scrape_interval: 15s', 'scrape_interval: 1s\n  evaluation_interval: 1s');
  const file = path.join(folder.path, 'prometheus.yml');
  writeFileSync(file, config);
  const words = [`--config.file=${file}`, `--storage.tsdb.path=${folder.path}/data`];
  const prometheus = spawn('prometheus', [...words, `--web.listen-address=127.0.0.1:${port}`], { stdio: 'ignore' });
  try {
    const ask = async (route: string) => (await fetch(`http://127.0.0.1:${port}/api/v1/${route}`)).json();
    const query = (expr: string) => ask(`query?query=${encodeURIComponent(expr)}`);
    await waitFor('it has scraped twice', async () => {
      const { data } = await query('count_over_time(up{job="berth"}[1m])').catch(() => ({ data: undefined }));
      return Number(data?.result[0]?.value[1] ?? 0) >= 2;
    });
    await waitFor('the rules are evaluated', async () => {
      const { data } = await ask('rules');
      return data.groups[0].rules.every(({ health }: { health: string }) => health !== 'unknown');
    });
    const { rules } = (await ask('rules')).data.groups[0];
    for (const { name, health, state } of rules) expect([name, health, state]).toEqual([name, 'ok', 'inactive']);
    for (const expr of expressions) {
      const { status, data } = await query(expr);
      expect([expr, status, data?.resultType]).toEqual([expr, 'success', 'vector']);
    }
    const { data } = await query('sum(berth_instances{job="berth",deployment="watched",state="ready"})');
    expect(data.result[0].value[1]).toBe('1');
  } finally {
    prometheus.kill();
    await once(prometheus, 'exit');
  }
});
