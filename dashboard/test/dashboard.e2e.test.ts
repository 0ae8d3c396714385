import { openBrowserScene } from './browserScene.ts'
import { testHome } from './pages/home.ts'
import { testLooks } from './pages/looks.ts'
import { testMarket } from './pages/market.ts'
import { testPeers } from './pages/peers.ts'
import { testRounds } from './pages/rounds.ts'
import { testShifts, testShiftsAt } from './pages/shifts.ts'

const scene = openBrowserScene()

testHome(scene)
testPeers(scene)
testMarket(scene)
testRounds(scene)
testLooks(scene)
// A phone shows the most shifts: `npm run test:long` has the other width.
testShiftsAt(390, scene)
testShifts(scene)
