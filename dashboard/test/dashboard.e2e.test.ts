import { openBrowserScene } from './browserScene.ts'
import { testHome } from './pages/home.ts'
import { testLooks } from './pages/looks.ts'
import { testMarket } from './pages/market.ts'
import { testOutages } from './pages/outages.ts'
import { testPeers } from './pages/peers.ts'
import { testPhone } from './pages/phone.ts'
import { testRefusals } from './pages/refusals.ts'
import { testRounds } from './pages/rounds.ts'
import { testShifts } from './pages/shifts.ts'
import { testSigning, testTaking } from './pages/signing.ts'

const scene = openBrowserScene()

testHome(scene)
testPeers(scene)
testMarket(scene)
testSigning(scene)
testTaking(scene)
testRefusals(scene)
testPhone(scene)
testRounds(scene)
testOutages(scene)
testLooks(scene)
testShifts(scene)
