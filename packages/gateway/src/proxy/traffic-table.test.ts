import { expect, test } from 'vitest';
import { sideRoute } from '../port/gateway.ts';
import { TrafficTable } from './traffic-table.ts';

const SECRET = 'a secret of a test, thirty-two bytes';
const NEW = sideRoute('shop', 'shop-2');

function open(percent: number, random: () => number = Math.random): TrafficTable {
  const table = new TrafficTable(random);
  const split = [
    { route: 'shop', revision: 'shop-1', percent: 100 - percent },
    { route: NEW, revision: 'shop-2', percent },
  ];
  table.setTraffic([{ deployment: 'shop', split, tags: { 'beta---shop': NEW } }]);
  return table;
}

test('spreads requests by weight', () => {
  let at = 0;
  const table = open(10, () => at / 100);
  const routes: (string | undefined)[] = [];
  for (at = 0; at < 100; at++) routes.push(table.choose('shop', undefined, SECRET)?.route);
  expect(routes.filter((route) => route === NEW)).toHaveLength(10);
  expect(table.choose('blog', undefined, SECRET)).toBeUndefined();
});

test('keeps a browser on its revision, and only there', () => {
  const table = open(10, () => 0.95);
  const first = table.choose('shop', undefined, SECRET);
  expect(first).toEqual({ route: NEW, cookie: expect.stringMatching(/^[\w-]{43}$/) });
  const header = `a=b; berth_revision=${first?.cookie}`;
  const later = open(10, () => 0);
  expect(later.choose('shop', header, SECRET)).toEqual({ route: NEW, cookie: '' });
  // Names of revisions, values of another secret, of another deployment and of a revision without traffic count for nothing.
  for (const forged of ['shop-2', NEW, '', open(10, () => 0.95).choose('shop', undefined, 'other')?.cookie]) {
    expect(later.choose('shop', `berth_revision=${forged}`, SECRET)?.route).toBe('shop');
  }
  const split = [{ route: 'blog@blog-2', revision: 'shop-2', percent: 100 }];
  later.setTraffic([{ deployment: 'blog', split, tags: {} }]);
  expect(later.choose('blog', header, SECRET)?.cookie).not.toBe('');
  expect(open(0).choose('shop', header, SECRET)?.route).toBe('shop');
});

test('a share of 0 % gets no request', () => {
  const table = open(100);
  for (let i = 0; i < 50; i++) expect(table.choose('shop', undefined, SECRET)?.route).toBe(NEW);
});

test('rules that are gone no longer count', () => {
  const table = open(50);
  expect(table.tagged('beta---shop')).toBe(NEW);
  table.setTraffic([]);
  expect(table.tagged('beta---shop')).toBeUndefined();
  expect(table.choose('shop', undefined, SECRET)).toBeUndefined();
});
