import { describe, expect, it } from 'vitest';
import { suggestNames } from '../../../src/features/alerts/known-names.ts';
import { matcher } from '../../../src/features/alerts/matcher.ts';

const known = new Map([
  ['alertname', new Set(['DiskFull', 'HighErrorRate'])],
  ['severity', new Set(['critical'])],
  ['instance', new Set(['web-1'])],
  ['dc', new Set<string>()],
]);

describe('suggestions', () => {
  it.each([
    [[matcher('sevrity', '=', 'critical')], ['unknown label sevrity: did you mean severity?']],
    [[matcher('severty', '!~', 'x')], ['unknown label severty: did you mean severity?']],
    [[matcher('alertname', '=', 'critical')], ['no alert is named critical: did you mean severity=critical?']],
    [[matcher('alertname', '=', 'DiskFul')], ['unknown alert name DiskFul: did you mean DiskFull?']],
    [[matcher('alertname', '=', 'HighErorRate')], ['unknown alert name HighErorRate: did you mean HighErrorRate?']],
    [
      [matcher('alertnam', '=', 'DiskFul'), matcher('alertnam', '!=', 'x')],
      ['unknown label alertnam: did you mean alertname?'],
    ],
    [[matcher('alertname', '!=', 'DiskFul'), matcher('alertname', '=~', 'DiskFul')], []],
    [
      [matcher('severity', '=', 'ciritcal'), matcher('alertname', '=', 'DiskFull')],
      ['unknown severity ciritcal: did you mean critical?'],
    ],
    [[matcher('severity', '=', 'warning'), matcher('severity', '!=', 'critcal')], []],
    [[matcher('instance', '=', 'web-2')], []],
    [[matcher('az', '=', 'x'), matcher('cluster', '=', 'x'), matcher('alertname', '=', '')], []],
  ])('%j: %j', (matchers, texts) => {
    expect(suggestNames(matchers, known)).toEqual(texts);
  });
});
