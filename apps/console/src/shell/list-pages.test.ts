import type { DeploymentDetail } from '@berth/contract';
import { createElement, type FunctionComponent } from 'react';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { QUERY_KEYS } from '../api/query-keys.ts';
import { AlertsPage } from '../features/alerts/alerts-page.tsx';
import { PlanList } from '../features/billing/views/plan-list.tsx';
import { DeploymentTable } from '../features/deployments/deployment-table.tsx';
import { EnvironmentTab } from '../features/environment/environment-tab.tsx';
import { SharedVariablesPage } from '../features/environment/shared-variables-page.tsx';
import { KeysPage } from '../features/keys/keys-page.tsx';
import { MetricsTable } from '../features/metrics/metrics-table.tsx';
import { OpenInvites } from '../features/people/open-invites.tsx';
import { PeoplePage } from '../features/people/people-page.tsx';
import { SessionsPage } from '../features/sessions/sessions-page.tsx';
import { DeletedVolumes } from '../features/volumes/views/deleted-volumes.tsx';
import { VolumesPage } from '../features/volumes/views/volumes-page.tsx';
import { setupView, type ViewSetup } from '../render-view.test-support.ts';

beforeAll(() => {
  vi.stubGlobal('matchMedia', () => ({ matches: false }));
  return () => vi.unstubAllGlobals();
});
afterAll(() => {
  vi.unstubAllGlobals();
});

const shop = { name: 'shop' } as DeploymentDetail;
const owner = { role: 'owner', scopes: ['admin', 'read', 'deploy', 'volumes'], account: { id: 'a', name: 'Acme' } };
const PAGES: readonly (readonly [FunctionComponent<never>, object, ViewSetup['cached']])[] = [
  [KeysPage, {}, [[QUERY_KEYS.keys, [{}]]]],
  [SharedVariablesPage, {}, [[QUERY_KEYS.sharedVariables, [{ deployments: [] }]]]],
  [AlertsPage, {}, [[QUERY_KEYS.alerts, [{ condition: { type: 'deploy_failed' }, emails: [], firing: [] }]]]],
  [PeoplePage, {}, [[QUERY_KEYS.members, [{}]]]],
  [OpenInvites, {}, [[QUERY_KEYS.invites, [{}]]]],
  [SessionsPage, {}, [[QUERY_KEYS.sessions, [{}]]]],
  [VolumesPage, {}, [[QUERY_KEYS.volumes, [{ name: 'media' }]]]],
  [DeletedVolumes, { canRestore: true }, [[QUERY_KEYS.deletedVolumes, [{}]]]],
  [EnvironmentTab, { deployment: shop }, [[QUERY_KEYS.environment('shop'), [{}]]]],
  [PlanList, {}, [[QUERY_KEYS.plans, [{ name: 'team', is_sold: true, is_current: false }]]]],
  [DeploymentTable, { rows: [{ name: 'shop' }], activity: new Map() }, []],
  [MetricsTable, { points: [{ requests: 1, time: '2026-01-01T00:00:00Z' }], stepSeconds: 60 }, []],
];

function htmlOf(page: FunctionComponent<never>, props: object, setup: ViewSetup): string {
  return setupView(setup).render(createElement(page as FunctionComponent<object>, props));
}

describe.each(['en', 'ar'] as const)('tables in %s', (language) => {
  // Fails when two columns of a table have the same title, by which React tells them apart.
  test.each(PAGES)('%o have each title once', (page, props, cached = []) => {
    const html = htmlOf(page, props, { language, cached: [[QUERY_KEYS.user, owner], ...cached] });
    const titles = [...html.matchAll(/role="columnheader"[^>]*><span[^>]*>([^<]*)</g)].map(([, title]) => title);
    expect(titles.length).toBeGreaterThan(2);
    expect(new Set(titles).size).toBe(titles.length);
  });
});

describe('a list page', () => {
  const EMPTY = [
    [KeysPage, {}, QUERY_KEYS.keys, 'npx berth keys create ci'],
    [SharedVariablesPage, {}, QUERY_KEYS.sharedVariables, 'npx berth shared set KEY=value'],
    [AlertsPage, {}, QUERY_KEYS.alerts, 'npx berth alerts create Errors'],
    [VolumesPage, {}, QUERY_KEYS.volumes, 'npx berth volume create media'],
    [EnvironmentTab, { deployment: shop }, QUERY_KEYS.environment('shop'), 'npx berth env set shop KEY=value'],
  ] as const;

  // Fails when an empty list is a table without rows, which says nothing of the next step.
  test.each(EMPTY)('%o without rows says how to get one', (page, props, key, command) => {
    const html = htmlOf(page as FunctionComponent<never>, props, { cached: [[key, []]] });
    expect(html).toContain(`<code`);
    expect(html).toContain(command);
    expect(html).not.toContain('role="table"');
  });

  test.each(EMPTY)('%o shows a placeholder until it is read', (page, props) => {
    const html = htmlOf(page as FunctionComponent<never>, props, {});
    expect(html).toMatch(/role="status" aria-label="Loading"/);
    expect(html).not.toContain('role="table"');
  });

  // Fails when somebody without the right is offered an action that the server would refuse.
  test.each([
    [VolumesPage, {}, ['read'], 'Create volume'],
    [PeoplePage, {}, ['read'], 'Invite'],
    [EnvironmentTab, { deployment: shop }, ['read'], 'type="password"'],
  ] as const)('%o offers what the person may do', (page, props, scopes, mark) => {
    const html = (own: readonly string[]) =>
      htmlOf(page as FunctionComponent<never>, props, { cached: [[QUERY_KEYS.user, { ...owner, scopes: own }]] });
    expect(html(owner.scopes)).toContain(mark);
    expect(html(scopes)).not.toContain(mark);
  });
});
