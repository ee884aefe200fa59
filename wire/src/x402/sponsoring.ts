import Type from 'typebox'
import { BaseUnitsText, Exactly, ExactNumber, Milliseconds, Nullable, Said } from '../fields.ts'

const Text = (description: string) => Type.String({ description })

/** One address that pays for settlements. */
export const FeePayer = Exactly({
  address: Text('It is among the `signers` of GET /x402/supported.'),
  balance: Said(
    'What it has of the native currency, whole units; null before it was looked at.',
    Nullable(ExactNumber),
  ),
  balanceBaseUnits: Said('The same in the smallest unit.', Nullable(BaseUnitsText)),
  isLow: Type.Boolean({
    description: 'It signs nothing now: too little is left, or it is stopped.',
  }),
  seenAt: Said('When the balance was read.', Nullable(Milliseconds)),
})

/** What settling may cost on one network, today. */
export const Sponsoring = Exactly({
  network: Text('CAIP-2 id.'),
  symbol: Text('The native currency.'),
  perDay: Said(
    'What may be spent in a day of UTC on settlements of this account, whole units.',
    ExactNumber,
  ),
  perDayBaseUnits: Said('The same in the smallest unit.', BaseUnitsText),
  reserved: Said('What today took of it so far, whole units.', ExactNumber),
  reservedBaseUnits: Said('The same in the smallest unit.', BaseUnitsText),
  perPayerPerDayBaseUnits: Said('What of it one payer may cause in a day.', BaseUnitsText),
  feePayers: Type.Array(FeePayer, {
    description: 'Who pays, in the order in which they are asked.',
  }),
})

/** The answer of GET /x402/sponsoring. */
export const SponsoringAnswer = Exactly({
  day: Type.String({ pattern: String.raw`^\d{4}-\d\d-\d\d$`, description: 'Today, in UTC.' }),
  networks: Type.Array(Sponsoring, { description: 'Those on which anything is settled.' }),
})
