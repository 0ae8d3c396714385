import { type Hex, keccak256, stringToBytes } from 'viem'

/** A registered peer, and the account that speaks for it. */
export interface Member {
  readonly key: Hex
  readonly account: Hex
  readonly name: string
  /** Whether it belongs to the attacker's coalition. */
  readonly isOwn: boolean
  /** Index among all members: their randomness follows from it. */
  readonly number: number
}

/** The players. The coalition has a quarter of the seats, a fifth of the working keys, and half of the proposers. */
export interface Cast {
  readonly seats: readonly Member[]
  readonly rivals: readonly Member[]
  /** Keys of the coalition: as many work in a round as it has machines. */
  readonly ownKeys: readonly Member[]
  readonly proposers: readonly Member[]
}

export const SIZES = { honestSeats: 9, ownSeats: 3, rivals: 8, machines: 2, spareKeys: 4 }

type Enrol = (name: string, account: number) => Promise<Pick<Member, 'key' | 'account'>>

/** Creates and enrols every member; `account` numbers the accounts from 0. */
export async function openCast(enrol: Enrol): Promise<Cast> {
  let number = 0
  let account = 0
  const make = async (role: string, isOwn: boolean, count: number, at?: number): Promise<Member[]> => {
    const members: Member[] = []
    for (let i = 0; i < count; i++) {
      const name = `${isOwn ? 'own' : 'honest'} ${role} ${i}`
      members.push({ ...(await enrol(name, at ?? account++)), name, isOwn, number: number++ })
    }
    return members
  }
  const seats = [...(await make('seat', false, SIZES.honestSeats)), ...(await make('seat', true, SIZES.ownSeats))]
  const rivals = await make('solver', false, SIZES.rivals)
  const ownKeys = await make('solver', true, SIZES.machines)
  const ownAccount = account - 1
  const spare = await make('spare', true, SIZES.spareKeys, ownAccount)
  const proposers = [
    ...(await make('proposer', false, 1, SIZES.honestSeats + SIZES.ownSeats)),
    ...(await make('proposer', true, 1, ownAccount)),
  ]
  return { seats, rivals, ownKeys: [...ownKeys, ...spare], proposers }
}

/** Members that no chain knows. */
export function modelCast(): Promise<Cast> {
  const hash = (text: string) => keccak256(stringToBytes(text))
  return openCast(async (name, account) => ({
    key: hash(name),
    account: hash(`account ${account}`).slice(0, 42) as Hex,
  }))
}

export function allOf({ seats, rivals, ownKeys, proposers }: Cast): Member[] {
  return [...seats, ...rivals, ...ownKeys, ...proposers]
}
