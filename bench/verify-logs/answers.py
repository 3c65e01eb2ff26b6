"""Answers the questions of questions.ts from the text alone: python3 answers.py lines.txt > answers.json

Shares nothing with Berth: it reads docs/guides/logs.md and log-filters.md as a person would, with other code.
"""

import hashlib
import json
import re
import sys
from collections import Counter, defaultdict

# How a record of each program begins; every other line belongs to the record above it.
BEGINS = re.compile(
    r'\{|\d+\.\d+\.\d+\.\d+ - - \[|(?:DEBUG|INFO|WARNING|ERROR):shop\.|\d\d:\d\d:\d\d\.\d{3} \[|Nov 21 '
)
PINO = {20: 'DEBUG', 30: 'INFO', 40: 'WARNING', 50: 'ERROR'}
RANKS = {'DEBUG': 100, 'INFO': 200, 'NOTICE': 300, 'WARNING': 400, 'ERROR': 500}


class Entry:
    def __init__(self, lines):
        text = '\n'.join(lines)
        self.payload = json.loads(text) if text.startswith('{') else None
        self.text = None if self.payload is not None else text
        if self.payload is not None:
            self.message = self.payload.get('message', text)
            self.severity = self.payload.get('severity') or PINO[self.payload['level']]
        else:
            self.message = text
            word = re.match(r'(DEBUG|INFO|WARNING|ERROR):', text)
            self.severity = word[1] if word else 'ERROR' if len(lines) > 1 else 'INFO'

    @property
    def rank(self):
        return RANKS[self.severity]

    def of(self, *path):
        value = self.payload
        for name in path:
            value = value.get(name) if isinstance(value, dict) else None
        return value

    def latency(self):
        text = self.of('httpRequest', 'latency')
        return None if text is None else float(text[:-1])

    def everything(self):
        """All that is in it, as one text in lower case."""
        return (self.text if self.text is not None else json.dumps(self.payload, ensure_ascii=False)).lower()


def read(path):
    lines = []
    with open(path, encoding='utf-8', newline='\n') as file:
        for line in file:
            line = line.rstrip('\n')
            if BEGINS.match(line) and lines:
                yield Entry(lines)
                lines = []
            lines.append(line)
    if lines:
        yield Entry(lines)


FILTERS = {
    'all': lambda e: True,
    'errors of a user': lambda e: e.rank >= 500 and e.of('user_id') == 'u-77',
    'bad gateways': lambda e: e.text is not None and re.search(r'" 50[0-9] \d+ "-"', e.text) is not None,
    'failed passwords of users that exist': lambda e: 'failed password' in e.everything()
    and 'invalid user' not in e.everything(),
    'slow errors of pino': lambda e: (e.of('level') or 0) >= 50 and (e.of('responseTime') or 0) > 900,
    'checkouts in a nested field': lambda e: '/checkout' in (e.of('req', 'url') or ''),
    'Python traces': lambda e: e.severity == 'ERROR' and 'valueerror' in e.everything(),
    'causes of Java': lambda e: e.text is not None and 'Caused by: java.net.SocketTimeoutException' in e.text,
    'slow requests': lambda e: (e.of('httpRequest', 'status') or 0) >= 500 and e.latency() > 1.5,
    'one team': lambda e: e.of('labels', 'team') == 'pay' and e.of('amount') < 100,
    'or before and': lambda e: ('curl/8' in e.everything() or 'googlebot' in e.everything())
    and '/cart' in e.everything(),
    'emoji': lambda e: '😀' in e.message,
    'an element of an array': lambda e: 't3' in (e.of('tags') or []) and e.severity == 'NOTICE',
}


class Sql:
    def __init__(self):
        self.severities = Counter()
        self.users = defaultdict(lambda: [0, 0])
        self.paths = Counter()
        self.slowest = []
        self.numbers = Counter()

    def add(self, e):
        self.severities[e.severity] += 1
        if e.of('user_id') is not None:
            user = self.users[e.of('user_id')]
            user[0] += 1
            user[1] += round(e.of('amount') * 100)
        access = re.search(r'"(GET|POST) ([^ ]+) HTTP', e.text or '')
        if access:
            self.paths[access[2]] += 1
        if e.of('responseTime') is not None:
            self.numbers['pino'] += 1
            self.numbers['slow'] += e.of('responseTime') >= 500
            self.numbers['ms'] += e.of('responseTime')
        if e.of('httpRequest') is not None:
            self.numbers[f"status {e.of('httpRequest', 'status')}"] += 1

    def answers(self):
        by_sum = sorted(self.users.items(), key=lambda item: (-item[1][1], item[0]))[:20]
        return {
            'severities': [{'severity': s, 'n': n} for s, n in sorted(self.severities.items())],
            'users by what they paid': [{'user': u, 'n': n, 'cents': cents} for u, (n, cents) in by_sum],
            'paths of the access log': [{'path': p, 'n': n} for p, n in sorted(self.paths.items())],
            'pino': [{'n': self.numbers['pino'], 'slow': self.numbers['slow'], 'ms': self.numbers['ms']}],
            'statuses': [{'status': s, 'n': self.numbers[f'status {s}']} for s in (200, 503)],
        }


def main():
    hashes = {name: hashlib.sha256() for name in FILTERS}
    counts = Counter()
    sql = Sql()
    for entry in read(sys.argv[1]):
        sql.add(entry)
        for name, fits in FILTERS.items():
            if fits(entry):
                counts[name] += 1
                hashes[name].update(entry.message.encode() + b'\0')
    filters = {name: {'count': counts[name], 'sha256': hashes[name].hexdigest()} for name in FILTERS}
    json.dump({'filters': filters, 'sql': sql.answers()}, sys.stdout)


main()
