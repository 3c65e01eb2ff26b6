import { describe, expect, it } from 'vitest';
import { type DeploySettings, parseDeployForm } from './deploy-form.ts';

const good = { function_name: 'my-agent', volumes: '{}' };

function settings(fields: Record<string, string>): DeploySettings {
  const result = parseDeployForm({ fields: { ...good, ...fields }, hasArchive: true });
  if ('issues' in result) throw new Error(JSON.stringify(result.issues));
  return result.settings;
}

/** Returns the issues as `field:type`, in order. */
function faults(fields: Record<string, string>, hasArchive = true): string[] {
  const result = parseDeployForm({ fields, hasArchive });
  return 'issues' in result ? result.issues.map((issue) => `${issue.loc.slice(1).join('.')}:${issue.type}`) : [];
}

describe('parseDeployForm', () => {
  it('gives absent and empty fields their defaults', () => {
    const expected = {
      name: 'my-agent',
      port: 8080,
      memory: '1Gi',
      memoryBytes: 2 ** 30,
      cpu: 1,
      cpuRaisedFrom: null,
      timeoutSeconds: 600,
      concurrency: 80,
      maxInstances: 0,
      minInstances: 0,
      sessionAffinity: false,
      useHttp2: false,
      volumes: [],
      schedule: null,
    };
    expect(settings({})).toEqual(expected);
    expect(
      settings({ port: '', memory: '', cpu: '', timeout: '', schedule: '', timezone: '', source_object: '' }),
    ).toEqual(expected);
  });

  it('reads numbers and booleans from text', () => {
    expect(
      settings({
        port: '3000',
        cpu: '0.5',
        timeout: '1',
        concurrency: '1000',
        session_affinity: '1',
        use_http2: 'TRUE',
      }),
    ).toMatchObject({
      port: 3000,
      cpu: 0.5,
      timeoutSeconds: 1,
      concurrency: 1000,
      sessionAffinity: true,
      useHttp2: true,
    });
  });

  it('raises cpu to what the memory needs and says from what', () => {
    expect(settings({ memory: '8Gi' })).toMatchObject({ cpu: 2, cpuRaisedFrom: 1 });
    expect(settings({ memory: '512Mi', cpu: '0.08' })).toMatchObject({ cpu: 0.08, cpuRaisedFrom: null });
  });

  it('reads a health check as JSON or as its path, and an empty one as none', () => {
    const full = { path: '/ready?full=1', interval: 30, timeout: 2 };
    expect(settings({ health: JSON.stringify(full) }).health).toEqual(full);
    for (const health of ['/healthz', '{"path":"/healthz"}']) {
      expect(settings({ health }).health).toEqual({ path: '/healthz', interval: 10, timeout: 5 });
    }
    for (const health of ['', ' ', '{}', 'null']) expect(settings({ health })).not.toHaveProperty('health');
  });

  it('refuses more cpu than the memory can have, at memory', () => {
    expect(faults({ ...good, cpu: '4', memory: '1Gi' })).toEqual(['memory:memory_too_small_for_cpu']);
    expect(faults({ ...good, cpu: '6', memory: '3Gi' })).toEqual(['memory:memory_too_small_for_cpu']);
    expect(settings({ cpu: '4', memory: '2Gi' })).toMatchObject({ cpu: 4 });
  });

  it.each([
    [{ port: '0' }, 'port:too_small'],
    [{ port: '65536' }, 'port:too_big'],
    [{ port: 'http' }, 'port:invalid_format'],
    [{ port: '80.5' }, 'port:invalid_format'],
    [{ memory: '1' }, 'memory:memory_invalid'],
    [{ memory: '1gi' }, 'memory:memory_invalid'],
    [{ memory: '127Mi' }, 'memory:memory_out_of_range'],
    [{ memory: '33Gi' }, 'memory:memory_out_of_range'],
    [{ cpu: '3' }, 'cpu:cpu_not_allowed'],
    [{ cpu: '0.07' }, 'cpu:cpu_not_allowed'],
    [{ cpu: 'many' }, 'cpu:invalid_format'],
    [{ timeout: '0' }, 'timeout:too_small'],
    [{ timeout: '3601' }, 'timeout:too_big'],
    [{ concurrency: '0' }, 'concurrency:too_small'],
    [{ concurrency: '1001' }, 'concurrency:too_big'],
    [{ max_instances: '-1' }, 'max_instances:too_small'],
    [{ max_instances: '1001' }, 'max_instances:too_big'],
    [{ min_instances: '-1' }, 'min_instances:too_small'],
    [{ min_instances: '1001' }, 'min_instances:too_big'],
    [{ min_instances: '3', max_instances: '2' }, 'min_instances:min_instances_above_max'],
    [{ session_affinity: 'yes' }, 'session_affinity:invalid_value'],
    [{ function_name: 'Upper' }, 'function_name:name_invalid'],
    [{ function_name: 'a'.repeat(64) }, 'function_name:name_invalid'],
    [{ function_name: 'api' }, 'function_name:name_invalid'],
    [{ function_name: '' }, 'function_name:name_invalid'],
    [{ volumes: '' }, 'volumes:json_invalid'],
    [{ schedule: '* * * *' }, 'schedule:cron_invalid'],
    [{ timezone: 'Mars/Olympus' }, 'timezone:timezone_invalid'],
    [{ health: 'healthz' }, 'health:json_invalid'],
    [{ health: '[]' }, 'health:invalid_type'],
    [{ health: '{"interval":5}' }, 'health.path:missing'],
    [{ health: '{"path":"healthz"}' }, 'health.path:invalid_format'],
    [{ health: '/a b' }, 'health.path:invalid_format'],
    [{ health: '/a\u0000' }, 'health.path:invalid_format'],
    [{ health: `/${'a'.repeat(1024)}` }, 'health.path:too_big'],
    [{ health: '{"path":"/","interval":0}' }, 'health.interval:too_small'],
    [{ health: '{"path":"/","timeout":"5"}' }, 'health.timeout:invalid_type'],
    [{ source_object: 'data/app.tar.gz' }, 'source_object:source_contradiction'],
  ])('refuses %j', (fields, fault) => {
    expect(faults({ ...good, ...fields })).toEqual([fault]);
  });

  // The messages that `POST /v1/deploy`, `POST /v1/deployment/redeploy` and the CLI show.
  it.each([
    ['port', '0', 'must be at least 1'],
    ['port', '65536', 'must be at most 65535'],
    ['port', 'http', 'must be an integer'],
    ['memory', '1', 'must be a number with M, G, Mi or Gi, such as 512Mi'],
    ['memory', '127Mi', 'must be from 128Mi to 32Gi'],
    ['cpu', '3', 'must be from 0.08 to 1, or 2, 4, 6 or 8'],
    ['cpu', 'many', 'must be a number'],
    ['timeout', '0', 'must be at least 1'],
    ['timeout', '3601', 'must be at most 3600'],
    ['concurrency', '0', 'must be at least 1'],
    ['concurrency', '1001', 'must be at most 1000'],
    ['max_instances', '-1', 'must be at least 0'],
    ['max_instances', '1001', 'must be at most 1000'],
    ['min_instances', '-1', 'must be at least 0'],
    ['min_instances', '1001', 'must be at most 1000'],
    ['session_affinity', 'yes', 'must be true, false, 1 or 0'],
    ['use_http2', '2', 'must be true, false, 1 or 0'],
    ['volumes', '[]', 'volumes must be a JSON object that maps mount paths to volumes'],
    ['schedule', '* * * *', 'a cron expression has 5 fields (minute hour day month weekday); this has 4'],
    ['timezone', 'Mars/Olympus', '"Mars/Olympus" is not an IANA time zone'],
    ['health', 'healthz', 'health is neither JSON such as {"path":"/healthz"} nor a path'],
  ])('says what is wrong with %s=%s', (field, value, msg) => {
    const result = parseDeployForm({ fields: { ...good, [field]: value }, hasArchive: true });
    expect('issues' in result && result.issues).toMatchObject([{ loc: ['body', field], msg }]);
  });

  it('lists every wrong field, not the first', () => {
    expect(faults({ port: '0', cpu: '5', schedule: 'never', timezone: 'x' }, false).sort()).toEqual([
      'cpu:cpu_not_allowed',
      'function_name:missing',
      'port:too_small',
      'schedule:cron_invalid',
      'source_archive.0:missing',
      'timezone:timezone_invalid',
      'volumes:missing',
    ]);
  });

  it('takes a source object instead of an archive', () => {
    const result = parseDeployForm({ fields: { ...good, source_object: 'data/a/b.tar.gz' }, hasArchive: false });
    expect(result).toMatchObject({ source: { kind: 'object', object: 'data/a/b.tar.gz' } });
    expect(faults({ ...good, source_object: 'data/../b' }, false)).toEqual(['source_object:source_object_invalid']);
  });

  it('reserves what the operator adds', () => {
    const result = parseDeployForm({
      fields: { ...good, function_name: 'status' },
      hasArchive: true,
      reservedNames: ['status'],
    });
    expect(result).toHaveProperty('issues');
  });
});
