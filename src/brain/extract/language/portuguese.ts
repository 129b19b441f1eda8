/** Portuguese words of tasks, decisions and meetings. */
import type { Vocabulary } from './vocabulary.ts';

export const PORTUGUESE: Vocabulary = {
  records: 'reuni[ãa]o|reuni[õo]es|atas?|ata-?reuni[ãa]o\\S*|assembleia|retrospectiva',
  sections: {
    questions: 'perguntas(?: .*)?|dúvidas(?: .*)?|(?:questões|pontos) em aberto|a (?:decidir|definir)',
    waiting: '(?:aguardando|à espera)(?: .*)?|bloqueios|impedimentos|bloquead[oa]s?',
    follow_ups: 'acompanhamento(?: .*)?',
    actions:
      '(?:tarefas|ações|acoes|pendências|encaminhamentos|compromissos)(?: (?:a |da |do |de |para |e |definid|pendent|futur|important|próxim|atribuíd).*)?|próxim[oa]s (?:passos|ações|etapas|tarefas)(?: .*)?|a fazer|por fazer|plano de ação|o que falta(?: .*)?',
    decisions:
      '(?:principais )?(?:decis(?:ão|ões)|deliberações|definições|acordos)(?: (?:tomad|da reuni|e (?!discuss)).*)?',
    risks: 'riscos(?: .*)?',
    attendees: 'participantes(?: convocados)?|presentes|presença',
    absent: 'ausentes|faltas',
    agenda: '(?:pauta|ordem do dia|temas)(?: .*)?',
    notes: '(?:notas|discussão|resumo)(?: .*)?',
  },
  markers: {
    todo: {
      rare: 'pend[êe]ncias?|pendentes?|(?:a|por) fazer',
      common: 'tarefas?|a[çc][ãa]o|a[çc][õo]es|encaminhamentos?|falta(?:m)?|pr[óo]ximos? passos?',
    },
    question: { rare: 'perguntas?|d[úu]vidas?|a (?:decidir|definir)' },
    waiting_for: { rare: 'aguardando|bloquead[oa](?: por)?' },
    decision: {
      rare: 'decis(?:[ãa]o|[õo]es)|decidido|acordado|delibera[çc][ãa]o|ficou decidido',
      common: 'definido|conclus[ãa]o|aprovado|acordo',
    },
  },
  phrases: {
    waiting:
      '(?:estamos |ainda )?(?:aguardando|à espera d[aeo]s?|esperando (?:a|o|por|resposta))|bloquead[oa]s? por',
    undecided:
      '(?:ainda )?não (?:foi|foram|está|ficou) (?:\\p{L}+ )?(?:decidid|definid|acordad)[oa]s?|(?:falta|ainda por|a ser) (?:decidir|definir|definido|decidido)',
    remaining:
      '(?:ainda )?(?:falta|faltam|resta|restam)(?: (?:ainda|apenas|só))* (?:\\p{L}+(?:ar|er|ir)|[oa]s? )|ainda (?:precisa|precisamos|é preciso|temos que|tem que|não (?:foi|foram|está))|(?:está|estão|ficou|ficaram) pendentes?|não esquecer',
    duty: '(?:precisamos(?: de)?|temos (?:que|de)|devemos|é (?:preciso|necessário)) \\p{L}+(?:ar|er|ir)|(?:deve|devem|precisa|precisam)(?:rá|rão)? ser \\p{L}+(?:ad|id)[oa]s?',
    intention:
      '(?:vai|vão|vamos|irá|irão|iremos) \\p{L}+(?:ar|er|ir)|(?:deve|devem|deverá|deverão|precisa|precisam|tem que|têm que) \\p{L}+(?:ar|er|ir)|fic(?:ou|aram|a|am|ará|arão) (?:responsáve(?:l|is)|encarregad[oa]s?|de \\p{L}+(?:ar|er|ir))|se compromete(?:u|ram)? a|\\p{L}{2,}(?:ará|erá|irá|arão|erão|irão)(?! (?:possível|necessário))',
    present: 'prepara|contata|envia|revisa|redige|organiza|pergunta|atualiza|cria|busca|termina|verifica',
    decided:
      '(?:foi|foram|ficou|ficaram) (?:\\p{L}+ )?(?:decidid|acordad|combinad|acertad)[oa]s?|(?:decidiu|definiu|optou|acordou|concordou|deliberou)-se|(?:decidimos|acordamos|optamos|concordamos)|(?:a equipe|o grupo|o time|a equipa|todos) (?:\\p{L}+ )?(?:decidi|concord|opt|acord|deliber)(?:u|ou|iu|ram|aram|iram)|^decidid[oa]s?(?: que|[ :,])',
    settled:
      '(?:foi|foram|ficou|ficaram) (?:\\p{L}+ )?(?:definid|escolhid|aprovad|estabelecid|determinad|rejeitad|descartad)[oa]s?|(?:definimos|escolhemos|aprovamos)|^(?:definid|aprovad|escolhid)[oa]s?',
    notDecided:
      '(?:ainda )?não (?:foi|foram|ficou|se|houve) (?:\\p{L}+ )?(?:decid|defin|acord|aprov|consenso)\\p{L}*|(?:deve|devem|precisa|a) (?:ser )?(?:decidid|definid)[oa]s?|nenhuma decisão',
  },
  columns: {
    action: 'a[çc](?:[ãa]o|[õo]es)|tarefas?|atividades?|pendências?|o que',
    decision: 'decis(?:[ãa]o|[õo]es)|deliberação',
    owner: 'respons[áa]ve(?:l|is)|quem|encarregad[oa]s?',
    due: 'prazo|data(?: limite)?|até quando|entrega',
    status: 'estado|situa[çc][ãa]o|status',
    done: 'conclu[íi]d[oa]|feit[oa]|finalizad[oa]|sim',
  },
};
