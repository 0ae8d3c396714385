// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IPredictionMarket as M} from "../../src/interfaces/IPredictionMarket.sol";
import {MarketPrices} from "../../src/libraries/MarketPrices.sol";
import {MarketFixture} from "./MarketFixture.sol";

contract BetsTest is MarketFixture {
    function test_TheFirstRoundCostsOne() public {
        uint256 id = openGame(2, 3);
        vm.expectEmit(address(market));
        emit M.BetPlaced(id, holder(ALICE), ALICE, 0, 2, 3e18, 3e18);
        vm.assertEq(betAs(ALICE, id, 2, 3e18), 3e18);
        vm.assertEq(betAs(BOB, id, 2, 100e18), 100e18);
        (uint256 stake, uint256 shares) = market.choiceOf(id, 2);
        vm.assertEq(stake, 103e18);
        vm.assertEq(shares, 103e18);
        (stake, shares) = market.positionOf(id, 2, holder(ALICE));
        vm.assertEq(stake, 3e18);
        vm.assertEq(shares, 3e18);
        vm.assertEq(market.gameOf(id).totalStake, 103e18);
        vm.assertEq(token.balanceOf(address(market)), BOND + 103e18);
        vm.assertTrue(market.hasBet(id, ALICE));
        vm.assertFalse(market.hasBet(id, CAROL));
    }

    /// @dev (5 + 5)^2 = 100 and (10 + 5)^2 = 225, of 325, for two choices, times 1.5; rounded up twice.
    function test_LaterRoundsCostWhatTheirOpeningSays() public {
        uint256 id = _secondRound();
        vm.assertEq(market.priceOf(id, 1, 0), 923076923076923078);
        vm.assertEq(market.priceOf(id, 1, 1), 2076923076923076924);
        // A bet moves neither.
        vm.assertEq(betAs(ALICE, id, 1, 6e18), uint256(6e36) / 2076923076923076924);
        vm.assertEq(market.priceOf(id, 1, 0), 923076923076923078);
        vm.assertEq(market.priceOf(id, 1, 1), 2076923076923076924);
        vm.assertEq(market.quoteShares(id, 1, 1, 6e18), uint256(6e36) / 2076923076923076924);
    }

    function test_NothingOfNothingIsNothing() public pure {
        vm.assertEq(MarketPrices.portionDown(5, 0, 0), 0);
        vm.assertEq(MarketPrices.portionDown(0, 5, 7), 0);
        vm.assertEq(MarketPrices.portionDown(5, 3, 7), 2);
    }

    function test_PricesOfPastRoundsStay() public {
        uint256 id = openGame(4, 2);
        betAs(ALICE, id, 1, 10e18);
        nextRound(id);
        betAs(BOB, id, 0, 2e18);
        uint256 first = market.priceOf(id, 1, 1);
        nextRound(id);
        betAs(ALICE, id, 1, 3e18);
        uint256 second = market.priceOf(id, 2, 1);
        nextRound(id);
        betAs(ALICE, id, 1, 3e18);
        vm.assertEq(market.priceOf(id, 0, 1), 1e18);
        vm.assertEq(market.priceOf(id, 1, 1), first);
        vm.assertEq(market.priceOf(id, 2, 1), second);
    }

    function test_NoChoiceIsCheaperThanAFifth() public {
        uint256 id = openGame(2, 2);
        betAs(ALICE, id, 1, 1_000e18);
        nextRound(id);
        vm.assertEq(market.priceOf(id, 1, 0), 0.3e18);
    }

    function test_QuotesWhatABetPaysIfNothingFollows() public {
        uint256 id = _secondRound();
        uint256 quote = market.quotePayout(id, 1, 4e18);
        betAs(CAROL, id, 1, 4e18);
        finishGame(id);
        vm.assertEq(market.claimableOf(id, holder(CAROL)), quote);
    }

    function test_LaterRoundsTakeAtMostTheOpeningAndV() public {
        uint256 id = _secondRound();
        vm.assertEq(market.roomOf(id, 1), 15e18);
        vm.assertEq(market.roomOf(id, 0), 10e18);
        betAs(ALICE, id, 1, 6e18);
        vm.assertEq(market.roomOf(id, 1), 9e18);
        vm.expectRevert(abi.encodeWithSelector(M.PredictionMarket_AboveCap.selector, 9e18 + 1, 9e18));
        vm.prank(BOB);
        market.bet(id, 1, 1, 9e18 + 1);
        betAs(BOB, id, 1, 9e18);
        vm.assertEq(market.roomOf(id, 1), 0);
        nextRound(id);
        vm.assertEq(market.roomOf(id, 1), 30e18);
    }

    function test_StakesStayWithinTheirWord() public {
        uint256 id = openGame(2, 2);
        uint256 most = type(uint112).max;
        token.mint(ALICE, most);
        betAs(ALICE, id, 0, most - 5);
        vm.assertEq(market.roomOf(id, 0), 5);
        nextRound(id);
        vm.assertEq(market.roomOf(id, 0), 5);
        vm.assertEq(market.priceOf(id, 1, 1), 0.3e18);
        vm.assertLe(market.priceOf(id, 1, 0), 3e18);
    }

    function test_RevertWhen_TheRoundIsAnother() public {
        uint256 id = _secondRound();
        vm.expectRevert(abi.encodeWithSelector(M.PredictionMarket_WrongRound.selector, 0, 1));
        vm.prank(ALICE);
        market.bet(id, 0, 1, 1e18);
        vm.expectRevert(abi.encodeWithSelector(M.PredictionMarket_WrongRound.selector, 2, 1));
        vm.prank(ALICE);
        market.bet(id, 2, 1, 1e18);
    }

    function test_RevertWhen_BettingIsClosed() public {
        uint256 id = openGame(2, 2);
        vm.warp(START + BETTING);
        expectPhaseRefusal(id, M.Phase.AwaitingClue);
        vm.prank(ALICE);
        market.bet(id, 0, 1, 1e18);
        revealNext(id);
        expectPhaseRefusal(id, M.Phase.Waiting);
        vm.prank(ALICE);
        market.bet(id, 1, 1, 1e18);
        expectPhaseRefusal(id, M.Phase.Waiting);
        market.roomOf(id, 1);
        expectPhaseRefusal(id, M.Phase.Waiting);
        market.quotePayout(id, 1, 1e18);
    }

    function test_RevertWhen_TheJudgeBets() public {
        uint256 id = openGame(2, 2);
        vm.expectRevert(abi.encodeWithSelector(M.PredictionMarket_JudgeCannotBet.selector, JUDGE));
        vm.prank(JUDGE);
        market.bet(id, 0, 1, 1e18);
    }

    function test_RevertWhen_ThereIsNoSuchChoice() public {
        uint256 id = openGame(2, 2);
        bytes memory refusal = abi.encodeWithSelector(M.PredictionMarket_UnknownChoice.selector, 2, 2);
        vm.expectRevert(refusal);
        vm.prank(ALICE);
        market.bet(id, 0, 2, 1e18);
        vm.expectRevert(refusal);
        market.priceOf(id, 0, 2);
        vm.expectRevert(refusal);
        market.roomOf(id, 2);
    }

    function test_RevertWhen_TheBetIsTooSmall() public {
        uint256 id = openGame(2, 2);
        vm.expectRevert(abi.encodeWithSelector(M.PredictionMarket_BelowMinimum.selector, MIN_BET - 1, MIN_BET));
        vm.prank(ALICE);
        market.bet(id, 0, 1, MIN_BET - 1);
        betAs(ALICE, id, 1, MIN_BET);
    }

    function test_RevertWhen_TheBetBuysNothing() public {
        M.GameConfig memory config = termsOf(2, 2, ANSWER);
        config.minBet = 1;
        vm.prank(JUDGE);
        uint256 id = market.createGame(config, "");
        betAs(ALICE, id, 1, 5e18);
        nextRound(id);
        uint256 price = market.priceOf(id, 1, 1);
        vm.expectRevert(abi.encodeWithSelector(M.PredictionMarket_ZeroShares.selector, 1, price));
        vm.prank(BOB);
        market.bet(id, 1, 1, 1);
    }

    function test_RevertWhen_ThePriceIsStillToCome() public {
        uint256 id = openGame(2, 2);
        vm.expectRevert(abi.encodeWithSelector(M.PredictionMarket_RoundNotOpened.selector, 1, 1));
        market.priceOf(id, 1, 0);
        nextRound(id);
        market.priceOf(id, 1, 0);
        vm.expectRevert(abi.encodeWithSelector(M.PredictionMarket_RoundNotOpened.selector, 2, 2));
        market.quoteShares(id, 2, 0, 1e18);
        revealNext(id);
        vm.expectRevert(abi.encodeWithSelector(M.PredictionMarket_RoundNotOpened.selector, 2, 2));
        market.priceOf(id, 2, 0);
    }

    function test_RevertWhen_MoreIsQuotedThanAnyChoiceTakes() public {
        uint256 id = _secondRound();
        uint256 most = type(uint112).max;
        vm.assertEq(market.quoteShares(id, 1, 0, most), (most * 1e18) / market.priceOf(id, 1, 0));
        market.quotePayout(id, 0, most);
        uint256[2] memory stakes = [most + 1, type(uint256).max];
        for (uint256 i = 0; i < 2; ++i) {
            bytes memory refusal = abi.encodeWithSelector(M.PredictionMarket_AboveCap.selector, stakes[i], most);
            vm.expectRevert(refusal);
            market.quoteShares(id, 1, 0, stakes[i]);
            vm.expectRevert(refusal);
            market.quotePayout(id, 0, stakes[i]);
        }
    }

    function testFuzz_SharesNeverPayMoreThanAFifthOfTheirPriceAllows(uint112 a, uint112 b, uint256 stake) public {
        uint256 id = openGame(3, 2);
        a = uint112(bound(a, MIN_BET, 100_000e18));
        b = uint112(bound(b, MIN_BET, 100_000e18));
        betAs(ALICE, id, 0, a);
        betAs(BOB, id, 1, b);
        nextRound(id);
        uint256 room = market.roomOf(id, 0);
        stake = bound(stake, MIN_BET, room);
        uint256 shares = betAs(CAROL, id, 0, stake);
        uint256 price = market.priceOf(id, 1, 0);
        vm.assertLe(shares * price, stake * 1e18);
        vm.assertLe(stake * 1e18, (shares + 1) * price);
        vm.assertLe(0.3e18, price);
        vm.assertLe(price, 3e18);
        // The price is the ratio of squares times 1.5, above it by less than two units.
        uint256 sum = (uint256(a) + V) ** 2 + (uint256(b) + V) ** 2;
        uint256 squared = 3e18 * ((uint256(a) + V) ** 2);
        if (price > 0.3e18) {
            vm.assertLe(squared, price * sum);
            vm.assertLe((price - 3) * sum, squared);
        }
    }

    /// @dev Alice has 10 on choice 1, Bob 5 on choice 0; round 1 of three takes bets.
    function _secondRound() internal returns (uint256 id) {
        id = openGame(3, 2);
        betAs(ALICE, id, 1, 10e18);
        betAs(BOB, id, 0, 5e18);
        nextRound(id);
    }
}
