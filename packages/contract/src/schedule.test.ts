import { describe, expect, it } from 'vitest';
import { cronProblem, isTimeZone, parseSchedule } from './schedule.ts';

const faults = (schedule: string, timezone = ''): string[] => {
  const result = parseSchedule(schedule, timezone);
  return 'issues' in result ? result.issues.map((issue) => `${issue.loc.slice(1).join('.')}:${issue.type}`) : [];
};

describe('parseSchedule', () => {
  it('reads nothing, a bare expression, and JSON', () => {
    expect(parseSchedule('', '')).toEqual({ schedule: null });
    expect(parseSchedule('{}', '')).toEqual({ schedule: null });
    expect(parseSchedule('*/5 * * * *', '')).toEqual({ schedule: { cron: '*/5 * * * *', timezone: 'UTC' } });
    expect(parseSchedule('@daily', 'Europe/Paris')).toEqual({ schedule: { cron: '@daily', timezone: 'Europe/Paris' } });
    expect(parseSchedule('{"cron":"0  9 * * MON-FRI","timezone":"Asia/Tokyo"}', 'Asia/Tokyo')).toEqual({
      schedule: { cron: '0 9 * * MON-FRI', timezone: 'Asia/Tokyo' },
    });
    expect(parseSchedule('{"cron":"0 0 * * *"}', 'Asia/Tokyo')).toEqual({
      schedule: { cron: '0 0 * * *', timezone: 'Asia/Tokyo' },
    });
  });

  it('names the wrong part', () => {
    expect(faults('{"timezone":"UTC"}')).toEqual(['schedule.cron:missing']);
    expect(faults('{"cron":')).toEqual(['schedule:json_invalid']);
    expect(faults('{"cron":"x","timezone":"Nope/Zone"}')).toEqual([
      'schedule.timezone:timezone_invalid',
      'schedule.cron:cron_invalid',
    ]);
    expect(faults('{"cron":"0 0 * * *","timezone":"UTC"}', 'Asia/Tokyo')).toEqual(['timezone:timezone_contradiction']);
  });
});

describe('cronProblem', () => {
  it.each(['0 0 * * *', '*/15 9-17 1,15 JAN,JUL MON-FRI', '@hourly', '59 23 31 12 7', '0 0 29 2 *'])(
    'accepts %s',
    (cron) => {
      expect(cronProblem(cron)).toBeUndefined();
    },
  );

  it.each([
    '* * * *',
    '* * * * * *',
    '60 * * * *',
    '* 24 * * *',
    '0 0 31 2 *',
    'a b c d e',
    '0 0 L * *',
    '@reboot',
    '',
  ])('refuses %s', (cron) => {
    expect(cronProblem(cron)).toEqual(expect.any(String));
  });
});

describe('isTimeZone', () => {
  it('knows zones by name only', () => {
    expect(['UTC', 'Europe/Berlin', 'America/Argentina/Ushuaia'].every(isTimeZone)).toBe(true);
    expect(['', '+02:00', 'Mars/Olympus', '../etc'].some(isTimeZone)).toBe(false);
  });
});
