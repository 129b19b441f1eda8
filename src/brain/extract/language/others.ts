/** Headings and markers in further languages: Italian, Dutch, Russian, Japanese, Chinese. Sentences are not read. */
import type { Vocabulary } from './vocabulary.ts';

export const OTHERS: Vocabulary = {
  records:
    'riunion[ei]|verbal[ei]|vergadering|notulen|протокол|встреч[аи]|совещани[ея]|議事録|打ち合わせ|ミーティング|会议(?:纪要|记录)?|会議',
  sections: {
    questions:
      'domande(?: aperte)?|open vragen|открытые вопросы|未決事項|未解決事項|質問|未决(?:问题|事项)|待定',
    waiting: 'in attesa(?: .*)?|wachten op.*|ожида(?:ем|ние).*|待ち|等待.*',
    actions:
      'azioni(?: .*)?|(?:cose )?da fare|prossimi passi|compiti|acties|actie(?:punten|lijst)|taken|te doen|vervolgstappen|volgende stappen|задачи(?: .*)?|поручения|следующие шаги|план действий|что сделать|(?:次の|ネクスト|今後の)?アクション(?:アイテム|項目)?|next action|やること|宿題|タスク|今後の(?:対応|進め方|予定)|残(?:作業|課題)|待办(?:事项|任务)?|行动(?:项|计划)|下一步(?:计划|行动)?|后续(?:行动|工作|计划)',
    decisions:
      'decisioni(?: .*)?|besluiten(?:lijst)?|решения|решили|принятые решения|договор[её]нности|決定(?:事項|内容)?|合意事項|决(?:议|定)(?:事项)?|结论',
    attendees:
      'presenti|partecipanti|aanwezig(?:en)?|участники|присутствовали|присутствующие|参加者|出席者|参会人员|与会(?:人员|者)',
    absent: 'assenti|afwezig(?:en)?|отсутствовали|欠席者?|缺席(?:人员)?',
    agenda: 'ordine del giorno|повестка(?: дня)?|議題|アジェンダ|议(?:程|题)',
  },
  markers: {
    todo: { rare: 'da fare|actie|te doen|сделать|задача|todo|宿題|要対応|待办|行动项' },
    question: { rare: 'domanda|vraag|вопрос|質問|要確認|问题待定' },
    waiting_for: { rare: 'in attesa(?: di)?|wachten op|ждём|жд[её]м|ожидаем|確認待ち|等待' },
    decision: { rare: 'decisione|deciso|besluit|besloten|решение|решили|決定(?:事項)?|决定|决议' },
  },
  phrases: {},
  columns: {
    action: 'azione|actie|задача|действие|アクション|タスク|内容|任务|行动项|事项',
    decision: 'decisione|besluit|решение|決定事項|决议',
    owner: 'responsabile|wie|eigenaar|ответственн(?:ый|ые)|кто|担当者?|负责人',
    due: 'scadenza|wanneer|срок|когда|期限|締切|截止(?:日期|时间)?',
    status: 'stato|статус|ステータス|状態|状态',
    done: 'fatto|gedaan|klaar|готово|выполнено|完了|済|已?完成',
  },
};
