// @vitest-environment happy-dom
import { createError, type DeploymentDetail, type Domain } from '@berth/contract';
import { createElement } from 'react';
import { describe, expect, test } from 'vitest';
import { QUERY_KEYS } from '../../api/query-keys.ts';
import { type OpenSetup, OWNER, openView, say } from '../../testing/open-view.ts';
import { DomainsTab } from './domains-tab.tsx';

const LIST = 'GET /v1/domain/list';
const ADD = 'POST /v1/domain/add';
const VERIFY = 'POST /v1/domain/verify';
const REMOVE = 'POST /v1/domain/remove';

const domain = (name: string, status: Domain['status']) =>
  ({
    ...{ domain: name, deployment_name: 'shop', status, target: 'ingress.berth.test' },
    proof: { txt: { name: `_berth.${name}`, value: 'proof_1' } },
  }) as Domain;

const open = (domains: readonly Domain[], answers: OpenSetup['answers'] = {}, user: object = OWNER) =>
  openView(createElement(DomainsTab, { deployment: { name: 'shop' } as DeploymentDetail }), {
    cached: [[QUERY_KEYS.user, user]],
    answers: { [LIST]: () => domains, [ADD]: () => ({}), ...answers },
  });

describe('a new domain', () => {
  test('is added to the deployment, and the field is empty again', async () => {
    const view = await open([]);
    await view.fill(view.field(say('deployment.domain')), 'shop.example.com');
    await view.press('Enter');
    expect(view.sent(ADD)).toEqual([{ deployment_name: 'shop', domain: 'shop.example.com' }]);
    expect([view.field(say('deployment.domain')).value, view.sent(LIST).length]).toEqual(['', 2]);
  });

  test('that is refused stays in the field, with the reason', async () => {
    const refuse = () => {
      throw createError('conflict', 'shop.example.com belongs to another deployment.');
    };
    const view = await open([], { [ADD]: refuse });
    await view.fill(view.field(say('deployment.domain')), 'shop.example.com');
    await view.press('Enter');
    expect(view.get('alert').textContent).toContain('belongs to another deployment');
    expect(view.field(say('deployment.domain')).value).toBe('shop.example.com');
  });

  test('can’t be added by somebody who may not deploy', async () => {
    const view = await open([domain('a.example.com', 'active')], {}, { ...OWNER, scopes: ['read'] });
    expect(view.document.querySelectorAll('form')).toHaveLength(0);
    expect(view.find('button', say('deployment.domain.remove', { domain: 'a.example.com' }))).toBeUndefined();
  });
});

describe('a domain that isn’t verified', () => {
  // Fails when the records can't be copied into a zone as they are.
  test('shows the records that verify it', async () => {
    const view = await open([domain('a.example.com', 'pending'), domain('b.example.com', 'active')]);
    const codes = [...view.document.querySelectorAll('code')].map(({ textContent }) => textContent);
    expect(codes).toEqual(['a.example.com. CNAME ingress.berth.test.', '_berth.a.example.com. TXT "proof_1"']);
  });

  // Fails when a check that found nothing looks as if nothing had been pressed.
  test('says what is still missing after a check', async () => {
    const problems = [
      { method: 'cname', message: 'a.example.com has no CNAME record.' },
      { method: 'txt', message: 'There is no TXT record.' },
    ];
    const view = await open([domain('a.example.com', 'pending')], { [VERIFY]: () => ({ problems }) });
    await view.click(view.get('button', say('deployment.domain.verify')));
    expect(view.sent(VERIFY)).toEqual([{ domain: 'a.example.com' }]);
    expect(view.all('alert').map(({ textContent }) => textContent)).toEqual(problems.map(({ message }) => message));
  });

  test('is shown as verified once it is', async () => {
    let status: Domain['status'] = 'pending';
    const verify = () => {
      status = 'active';
      return { problems: [] };
    };
    const view = await open([], { [LIST]: () => [domain('a.example.com', status)], [VERIFY]: verify });
    await view.click(view.get('button', say('deployment.domain.verify')));
    expect(view.text()).toContain(say('deployment.domain.active'));
    expect(view.find('button', say('deployment.domain.verify'))).toBeUndefined();
  });
});

describe('removing', () => {
  // Fails when the first press already takes the domain from its visitors, or another one goes.
  test('asks first, and removes the one that was asked about', async () => {
    const domains = [domain('a.example.com', 'active'), domain('b.example.com', 'active')];
    const view = await open(domains, { [REMOVE]: () => ({}) });
    await view.click(view.get('button', say('deployment.domain.remove', { domain: 'b.example.com' })));
    expect(view.sent(REMOVE)).toEqual([]);
    expect(view.get('alertdialog').textContent).toContain('b.example.com');
    await view.click(view.get('button', say('deployment.env.remove')));
    expect(view.sent(REMOVE)).toEqual([{ domain: 'b.example.com' }]);
  });
});
