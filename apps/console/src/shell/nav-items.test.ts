import { expect, test } from 'vitest';
import { allowedItems, NAV_ITEMS } from './nav-items.ts';
import { router } from './router.tsx';

// Fails when a page that needs a scope is offered to people without it.
test('people see the pages that their rights cover', () => {
  const seen = (...scopes: string[]) => allowedItems({ can: (scope) => scopes.includes(scope) }).map(({ to }) => to);
  expect(seen('admin')).toEqual(NAV_ITEMS.map(({ to }) => to));
  expect(NAV_ITEMS.map(({ to }) => to as string).filter((to) => !seen().includes(to as never))).toEqual([
    '/audit',
    '/keys',
  ]);
});

// Fails when two pages have the same keys.
test('each page has its own keys', () => {
  expect(new Set(NAV_ITEMS.map(({ keys }) => keys)).size).toBe(NAV_ITEMS.length);
});

// Fails when a page of the navigation has no route.
test('each page has a route', () => {
  const paths = Object.keys(router.routesByPath);
  expect(NAV_ITEMS.filter(({ to }) => !paths.includes(to))).toEqual([]);
});

// Fails when a route of the console is lost, which links from mails and the CLI lead to.
test('every address of the console has a route', () => {
  const addresses = ['/', '/first-run', '/join', '/device', '/account', '/signed-in', '/sign-in-problem'];
  expect(Object.keys(router.routesByPath)).toEqual(
    expect.arrayContaining([...addresses, '/deployments/$name', '/volumes/$volume']),
  );
});
