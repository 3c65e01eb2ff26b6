import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { OPTIONS } from '../../apps/server/src/config/options.ts';
import { CHART, EXAMPLES, findHelm, lintChart, NO_HELM, renderChart, renderedFile, runTemplate } from './helm.ts';

interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly additionalProperties?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly propertyNames?: { readonly not: { readonly enum: readonly string[] } };
}

const schema = JSON.parse(readFileSync(path.join(CHART, 'values.schema.json'), 'utf8')) as Schema;

describe('the values of the chart', () => {
  it('are all described, and no other is accepted', () => {
    const faults: string[] = [];
    const check = (name: string, { description, properties, additionalProperties, items }: Schema) => {
      if (name !== '' && !description?.endsWith('.')) faults.push(`${name} has no description`);
      if (properties && additionalProperties !== false) faults.push(`${name} accepts others`);
      for (const [key, value] of Object.entries(properties ?? {})) check(name === '' ? key : `${name}.${key}`, value);
      for (const [key, value] of Object.entries(items?.properties ?? {})) check(`${name}[].${key}`, value);
    };
    check('', schema);
    expect(faults).toEqual([]);
  });

  it('set settings that the server has, each in one way', () => {
    const known = Object.values(OPTIONS).map(({ env }) => env as string);
    const templates = ['servers.yaml', '_helpers.tpl'].map((file) =>
      readFileSync(path.join(CHART, 'templates', file), 'utf8'),
    );
    const used = [...templates.join('\n').matchAll(/name"?:? "?(BERTH_[A-Z0-9_]+)/g)].map(([, name = '']) => name);
    expect(used.filter((name) => !known.includes(name))).toEqual([]);
    // A variable that is in the list twice would have the last value.
    expect(schema.properties?.['settings']?.propertyNames?.not.enum).toEqual([...new Set(used)].sort());
  });
});

const helm = findHelm();
if (helm === undefined) {
  describe('the chart', () => {
    test(NO_HELM, (context) => {
      context.skip(NO_HELM);
    });
  });
} else {
  describe('the chart', () => {
    it.for(EXAMPLES)('renders deploy/helm/rendered/%s.yaml (node tools/chart/main.ts writes it)', (example) => {
      expect(renderChart({ helm, example })).toBe(readFileSync(renderedFile(example), 'utf8'));
    });

    it.for(EXAMPLES)('passes helm lint with the values of %s', (example) => {
      expect(lintChart(helm, example)).toContain('1 chart(s) linted, 0 chart(s) failed');
    });

    it.for([
      ['an unknown value', 'replica=2', "additional properties 'replica' not allowed"],
      ['a number that is out of range', 'replicas=0', 'minimum: got 0, want 1'],
      ['a setting that another value sets', 'settings.BERTH_DOMAIN=x', 'settings'],
      ['no domain', 'domain=', 'Set domain.'],
      ['no place for objects', 's3.bucket=', 'Set s3.bucket, or volumes.enabled'],
      ['a certificate without its Secret', 'tls.secretName=,tls.certManager.issuer=x', 'Set tls.secretName'],
      ['its own ACME behind an Ingress', 'tls.acme.directory=https://acme.example.com', 'needs exposure loadBalancer'],
      ['no certificate', 'exposure=loadBalancer,tls.secretName=', 'Set tls.acme.directory or tls.secretName'],
      ['a Gateway that is not named', 'exposure=gateway', 'Set gateway.parentRefs'],
      ['an address that is none', 'trustedProxies={proxy.example.com}', 'trustedProxies'],
    ])('refuses %s', ([, set = '', message = '']) => {
      expect(() => renderChart({ helm, example: 'k3s', set: [set] })).toThrow(message);
    });

    it('accepts the values in the commands of docs/guides/kubernetes.md', () => {
      const guide = readFileSync(path.join(CHART, '../../../docs/guides/kubernetes.md'), 'utf8');
      const commands = [...guide.matchAll(/^ *\$ helm (?:install|upgrade) (.*)$/gm)].map(([, words = '']) =>
        words.split(' '),
      );
      expect(commands.length).toBeGreaterThan(1);
      for (const words of commands) expect(runTemplate(helm, words)).toContain('kind: Deployment');
    });

    it("refuses to be installed in an account's namespace", () => {
      expect(() => renderChart({ helm, example: 'k3s', namespace: 'berth-system' })).toThrow(
        'Install Berth in another',
      );
    });
  });
}
