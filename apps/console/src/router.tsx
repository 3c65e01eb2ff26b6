import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { BrokenPage } from './shell/broken-page.tsx';
import { Gate } from './shell/gate.tsx';
import { MissingPage } from './shell/missing-page.tsx';
import { readDeploymentSearch } from './state/deployments/deployment-tabs.ts';
import { readFolder } from './state/volumes/folder-path.ts';

const root = createRootRoute({ component: Gate, notFoundComponent: MissingPage });
const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/deployments' });
  },
});
const firstRun = createRoute({
  getParentRoute: () => root,
  path: '/first-run',
  component: lazyRouteComponent(() => import('./views/sign-in/first-run-page.tsx'), 'FirstRunPage'),
});
const deployments = createRoute({
  getParentRoute: () => root,
  path: '/deployments',
  component: lazyRouteComponent(() => import('./views/deployments/deployments-page.tsx'), 'DeploymentsPage'),
});
const deployment = createRoute({
  getParentRoute: () => root,
  path: '/deployments/$name',
  validateSearch: readDeploymentSearch,
  component: lazyRouteComponent(() => import('./views/deployment/deployment-page.tsx'), 'DeploymentPage'),
});
const volumes = createRoute({
  getParentRoute: () => root,
  path: '/volumes',
  component: lazyRouteComponent(() => import('./views/volumes/volumes-page.tsx'), 'VolumesPage'),
});
const volume = createRoute({
  getParentRoute: () => root,
  path: '/volumes/$volume',
  validateSearch: readFolder,
  component: lazyRouteComponent(() => import('./views/volumes/volume-page.tsx'), 'VolumePage'),
});
const billing = createRoute({
  getParentRoute: () => root,
  path: '/billing',
  component: lazyRouteComponent(() => import('./views/billing/billing-page.tsx'), 'BillingPage'),
});
const keys = createRoute({
  getParentRoute: () => root,
  path: '/keys',
  component: lazyRouteComponent(() => import('./views/keys/keys-page.tsx'), 'KeysPage'),
});
const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  component: lazyRouteComponent(() => import('./views/audit/audit-page.tsx'), 'AuditPage'),
});
const logs = createRoute({
  getParentRoute: () => root,
  path: '/logs',
  component: lazyRouteComponent(() => import('./views/logs/logs-page.tsx'), 'LogsPage'),
});
const sql = createRoute({
  getParentRoute: () => root,
  path: '/sql',
  component: lazyRouteComponent(() => import('./views/sql/sql-page.tsx'), 'SqlPage'),
});

const people = createRoute({
  getParentRoute: () => root,
  path: '/people',
  component: lazyRouteComponent(() => import('./views/people/people-page.tsx'), 'PeoplePage'),
});
const sessions = createRoute({
  getParentRoute: () => root,
  path: '/sessions',
  component: lazyRouteComponent(() => import('./views/sessions/sessions-page.tsx'), 'SessionsPage'),
});
const account = createRoute({
  getParentRoute: () => root,
  path: '/account',
  component: lazyRouteComponent(() => import('./views/account/account-page.tsx'), 'AccountPage'),
});
const device = createRoute({
  getParentRoute: () => root,
  path: '/device',
  component: lazyRouteComponent(() => import('./views/device/device-page.tsx'), 'DevicePage'),
});
const join = createRoute({
  getParentRoute: () => root,
  path: '/join',
  component: lazyRouteComponent(() => import('./views/join/join-page.tsx'), 'JoinPage'),
});

const signInProblem = createRoute({
  getParentRoute: () => root,
  path: '/sign-in-problem',
  component: lazyRouteComponent(() => import('./views/sign-in/sign-in-problem-page.tsx'), 'SignInProblemPage'),
});
const signedIn = createRoute({
  getParentRoute: () => root,
  path: '/signed-in',
  component: lazyRouteComponent(() => import('./views/sign-in/signed-in-page.tsx'), 'SignedInPage'),
});

/** Every page of the console, each loaded when it is first gone to. */
export const router = createRouter({
  routeTree: root.addChildren([
    volumes,
    volume,
    billing,
    home,
    firstRun,
    deployments,
    deployment,
    keys,
    audit,
    logs,
    sql,
    people,
    sessions,
    account,
    device,
    join,
    signInProblem,
    signedIn,
  ]),
  defaultErrorComponent: BrokenPage,
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
