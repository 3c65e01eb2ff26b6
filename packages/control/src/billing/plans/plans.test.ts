import { expect, test } from 'vitest';
import { parsePlans, planOf, selfHostedPlans } from './plans.ts';

const TEXT = '{"default":"free","plans":{"free":{"deployments":2,"memory":"512Mi"},"team":{"deployments":20}}}';

test('a limit that a plan does not name is the platform’s own', () => {
  const plans = parsePlans(TEXT, 14);
  expect(planOf(plans, 'free').limits).toMatchObject({ deployments: 2, memory: '512Mi', log_retention_days: 14 });
  expect(planOf(plans, 'team').limits).toMatchObject({ deployments: 20, memory: '32Gi', max_instances: 1000 });
});

test('an account on a plan that is not there any more is on the default one', () => {
  expect(planOf(parsePlans(TEXT, 30), 'self-hosted').name).toBe('free');
  expect(planOf(selfHostedPlans(7), 'gold')).toMatchObject({ name: 'self-hosted', limits: { log_retention_days: 7 } });
});

test.each([
  ['{', 'not JSON'],
  ['{"default":"gold","plans":{"free":{}}}', 'default: is not one of the plans'],
  ['{"default":"free","plans":{"free":{"deployment":2}}}', 'deployment'],
  ['{"default":"free","plans":{"free":{"memory":"much"}}}', 'plans.free.memory'],
  ['{"default":"free","plans":{"Free!":{}}}', 'Free!'],
])('refuses %s', (text, message) => {
  expect(() => parsePlans(text, 30)).toThrow(message);
});
