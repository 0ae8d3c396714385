// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ICredits} from "../../src/interfaces/ICredits.sol";
import {IMarketGames as G} from "../../src/interfaces/IMarketGames.sol";
import {IPredictionMarket as M} from "../../src/interfaces/IPredictionMarket.sol";
import {MarketFixture} from "./MarketFixture.sol";

contract PayoutsTest is MarketFixture {
    function test_EarlyAndRightIsPaidMost() public {
        uint256 id = openGame(3, 2);
        betAs(ALICE, id, ANSWER, 4e18);
        betAs(BOB, id, 0, 4e18);
        nextRound(id);
        betAs(CAROL, id, ANSWER, 4e18);
        finishGame(id);
        // The second round adds a tenth of 4e18 shares and FREE, where 4e18 / 1.5 were bet on.
        uint256 late = 1.4e18;
        uint256 whole = 4e18 + late;
        vm.assertEq(market.claimableOf(id, holder(BOB)), 0);
        vm.expectEmit(address(market));
        emit M.Claimed(id, holder(ALICE), ALICE, 4e18 + (4e18 * 4e18) / whole);
        vm.prank(ALICE);
        uint256 early = market.claim(id);
        vm.prank(CAROL);
        uint256 second = market.claim(id);
        vm.assertEq(second, 4e18 + (4e18 * late) / whole);
        vm.assertTrue(early > second);
        vm.assertEq(market.creditOf(JUDGE), BOND);
        vm.assertEq(token.balanceOf(address(market)), BOND);
    }

    function test_WithoutADisputeNobodyGetsADisputersBond() public {
        uint256 id = openGame(1, 2);
        betAs(ALICE, id, ANSWER, 1e18);
        finishGame(id);
        vm.prank(ALICE);
        market.claim(id);
        vm.assertEq(market.creditOf(address(0)), 0);
        vm.assertEq(market.creditOf(JUDGE), BOND);
    }

    function test_BurnsTheDustOfTheLastClaim() public {
        uint256 id = openGame(1, 2);
        betAs(ALICE, id, ANSWER, 1e18);
        betAs(BOB, id, ANSWER, 1e18);
        betAs(CAROL, id, ANSWER, 1e18);
        betAs(OWNER, id, 0, 1e18);
        finishGame(id);
        uint256 supply = token.totalSupply();
        vm.prank(ALICE);
        market.claim(id);
        vm.prank(BOB);
        market.claim(id);
        vm.expectEmit(address(market));
        emit M.DustBurnt(id, 1);
        vm.prank(CAROL);
        market.claim(id);
        vm.assertEq(supply - token.totalSupply(), 1);
        vm.assertEq(token.balanceOf(address(market)), BOND);
    }

    function test_AJudgeWhoseAnswerStandsIsPaidOutOfLosingStakes() public {
        feeBps = 500;
        uint256 id = openGame(1, 2);
        betAs(ALICE, id, ANSWER, 1e18);
        betAs(BOB, id, 0, 4e18);
        (, uint256 payout) = market.quote(id, ANSWER, 1e18);
        vm.assertEq(payout, 1e18 + 1.9e18);
        answerGame(id);
        vm.warp(block.timestamp + DISPUTE);
        vm.expectEmit(address(market));
        emit M.GameResolved(id, ANSWER, 3.8e18, 1e18);
        vm.expectEmit(address(market));
        emit M.JudgePaid(id, JUDGE, 0.2e18);
        market.resolve(id);
        vm.assertEq(market.creditOf(JUDGE), BOND + 0.2e18);
        vm.prank(ALICE);
        vm.assertEq(market.claim(id), 4.8e18);
        vm.assertEq(token.balanceOf(address(market)), BOND + 0.2e18);
    }

    function test_AJudgeIsNotPaidWhereNobodyLosesOrAllAreRefunded() public {
        feeBps = 500;
        uint256[3] memory ids = [openGame(1, 2), openGame(1, 2), openGame(1, 2)];
        betAs(ALICE, ids[0], ANSWER, 1e18);
        betAs(BOB, ids[1], 0, 4e18);
        betAs(BOB, ids[2], 0, 4e18);
        vm.prank(JUDGE);
        market.cancel(ids[2]);
        finishGame(ids[0]);
        vm.assertEq(market.creditOf(JUDGE), BOND);
        answerGame(ids[1]);
        vm.warp(block.timestamp + DISPUTE);
        market.resolve(ids[1]);
        vm.assertEq(market.creditOf(JUDGE), 2 * BOND);
        vm.assertEq(market.claimableOf(ids[1], holder(BOB)), 4e18);
        vm.assertEq(market.claimableOf(ids[2], holder(BOB)), 4e18 + BOND);
    }

    function test_RefundsAllWhenNobodyWasRight() public {
        uint256 id = openGame(1, 2);
        betAs(ALICE, id, 0, 3e18);
        finishGame(id);
        vm.assertTrue(market.phaseOf(id) == G.Phase.Void);
        vm.assertEq(market.creditOf(JUDGE), BOND);
        vm.prank(ALICE);
        vm.assertEq(market.claim(id), 3e18);
    }

    function test_AMissedDeadlineRefundsAllAndForfeitsTheBond() public {
        uint256 id = openGame(2, 3);
        betAs(ALICE, id, 0, 1e18);
        betAs(ALICE, id, 2, 1e18);
        betAs(BOB, id, 1, 6e18);
        vm.warp(START + BETTING + REVEAL);
        vm.expectEmit(address(market));
        emit M.GameVoided(id, BOND, 8e18);
        market.resolve(id);
        vm.assertEq(market.creditOf(JUDGE), 0);
        vm.prank(ALICE);
        vm.assertEq(market.claim(id), 2e18 + BOND / 4);
        vm.prank(BOB);
        vm.assertEq(market.claim(id), 6e18 + (uint256(BOND) * 3) / 4);
        vm.assertEq(token.balanceOf(address(market)), 0);
    }

    function test_AMissedDeadlineWithoutBetsReturnsTheBond() public {
        uint256 id = openGame(2, 3);
        vm.warp(START + BETTING + REVEAL);
        market.resolve(id);
        vm.assertEq(market.creditOf(JUDGE), BOND);
    }

    function test_AClaimResolvesAGameThatIsDue() public {
        uint256 id = openGame(1, 2);
        betAs(ALICE, id, ANSWER, 3e18);
        answerGame(id);
        expectPhaseRefusal(id, G.Phase.Disputable);
        vm.prank(ALICE);
        market.claim(id);
        vm.warp(block.timestamp + DISPUTE);
        vm.assertEq(market.claimableOf(id, holder(ALICE)), 0);
        vm.prank(ALICE);
        vm.assertEq(market.claim(id), 3e18);
    }

    function test_TheJudgeCancels() public {
        uint256 empty = openGame(2, 2);
        vm.prank(JUDGE);
        market.cancel(empty);
        vm.assertEq(market.creditOf(JUDGE), BOND);
        uint256 id = openGame(2, 2);
        betAs(ALICE, id, 0, 3e18);
        vm.prank(JUDGE);
        market.cancel(id);
        vm.assertEq(market.creditOf(JUDGE), BOND);
        vm.prank(ALICE);
        vm.assertEq(market.claim(id), 3e18 + BOND);
    }

    function test_RevertWhen_CancelledByAnotherOrTooLate() public {
        uint256 id = openGame(1, 2);
        vm.expectRevert(abi.encodeWithSelector(M.PredictionMarket_NotJudge.selector, ALICE, JUDGE));
        vm.prank(ALICE);
        market.cancel(id);
        answerGame(id);
        expectPhaseRefusal(id, G.Phase.Disputable);
        vm.prank(JUDGE);
        market.cancel(id);
        uint256 other = openGame(1, 2);
        vm.warp(block.timestamp + BETTING + REVEAL);
        expectPhaseRefusal(other, G.Phase.ResolutionDue);
        vm.prank(JUDGE);
        market.cancel(other);
        vm.prank(JUDGE);
        market.resolve(other);
        expectPhaseRefusal(other, G.Phase.Void);
        vm.prank(JUDGE);
        market.cancel(other);
    }

    function test_RevertWhen_ResolvedBeforeItIsDueOrTwice() public {
        uint256 id = openGame(1, 2);
        betAs(ALICE, id, ANSWER, 1e18);
        expectPhaseRefusal(id, G.Phase.Betting);
        market.resolve(id);
        finishGame(id);
        expectPhaseRefusal(id, G.Phase.Resolved);
        market.resolve(id);
    }

    function test_RevertWhen_ClaimedTwiceOrForNothing() public {
        uint256 id = openGame(1, 2);
        betAs(ALICE, id, ANSWER, 1e18);
        betAs(BOB, id, 0, 1e18);
        finishGame(id);
        vm.prank(ALICE);
        market.claim(id);
        vm.expectRevert(abi.encodeWithSelector(M.PredictionMarket_NothingToClaim.selector, id, holder(ALICE)));
        vm.prank(ALICE);
        market.claim(id);
        vm.expectRevert(abi.encodeWithSelector(M.PredictionMarket_NothingToClaim.selector, id, holder(BOB)));
        vm.prank(BOB);
        market.claim(id);
    }

    function test_CreditsAreWithdrawnOnce() public {
        uint256 id = openGame(1, 2);
        betAs(ALICE, id, ANSWER, 1e18);
        finishGame(id);
        uint256 before = token.balanceOf(JUDGE);
        vm.expectEmit(address(market));
        emit ICredits.Withdrawn(JUDGE, BOND);
        vm.prank(JUDGE);
        vm.assertEq(market.withdraw(), BOND);
        vm.assertEq(token.balanceOf(JUDGE) - before, BOND);
        vm.expectRevert(abi.encodeWithSelector(ICredits.Credits_NothingToWithdraw.selector, JUDGE));
        vm.prank(JUDGE);
        market.withdraw();
    }
}
