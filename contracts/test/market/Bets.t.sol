// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMarketGames as G} from "../../src/interfaces/IMarketGames.sol";
import {IPredictionMarket as M} from "../../src/interfaces/IPredictionMarket.sol";
import {MarketShares} from "../../src/libraries/MarketShares.sol";
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

    function test_AShareCostsMoreEachRound() public {
        uint256 id = openGame(3, 2);
        uint256[3] memory rates = [uint256(1e18), 666666666666666666, 444444444444444444];
        for (uint8 round = 0; round < 3; ++round) {
            if (round != 0) nextRound(id);
            for (uint8 choice = 0; choice < 2; ++choice) {
                vm.assertEq(market.priceOf(id, round, choice), (1e36 - 1) / rates[round] + 1);
            }
        }
        vm.assertEq(betAs(ALICE, id, 1, 9e18), (9e18 * rates[2]) / 1e18);
    }

    /// @dev Ten shares at the opening: a tenth and FREE are 2, and 4.5 at 1 / 1.5 would be 3.
    function test_ARoundsBetsShareWhatItAdds() public {
        uint256 id = _secondRound();
        vm.assertEq(betAs(ALICE, id, 1, 1.5e18), 999999999999999999);
        vm.assertEq(market.priceOf(id, 1, 1), 1500000000000000002);
        betAs(CAROL, id, 1, 3e18);
        vm.assertEq(market.priceOf(id, 1, 1), 2.25e18 + 3);
        (, uint256 shares) = market.positionOf(id, 1, holder(CAROL));
        vm.assertEq(shares, (uint256(2e18) * 2) / 3 - 1);
        (, shares) = market.positionOf(id, 1, holder(ALICE));
        vm.assertEq(shares, 10e18 + uint256(2e18) / 3);
        (, shares) = market.choiceOf(id, 1);
        vm.assertLe(shares, 12e18);
        vm.assertLe(12e18 - 5, shares);
    }

    /// @dev A later round can take more bets, but an earlier bet must never be worth less.
    function test_NoLaterRoundIsCheaperThanOneThatWasFull() public {
        uint256 id = openGame(4, 2);
        betAs(ALICE, id, 1, 10e18);
        nextRound(id);
        betAs(BOB, id, 1, 200e18);
        uint256 price = market.priceOf(id, 1, 1);
        vm.assertEq(price, 100e18);
        nextRound(id);
        vm.assertEq(market.priceOf(id, 2, 1), price);
        vm.assertEq(betAs(CAROL, id, 1, 1e18), 0.01e18);
        nextRound(id);
        vm.assertEq(market.priceOf(id, 3, 1), price);
        vm.assertEq(market.priceOf(id, 3, 0), uint256(1e36 - 1) / 296296296296296296 + 1);
    }

    function test_AChoicesFirstRoundHasNoCap() public {
        uint256 id = openGame(3, 2);
        nextRound(id);
        vm.assertEq(betAs(ALICE, id, 1, 3_000e18), 1999999999999999998000);
        nextRound(id);
        betAs(BOB, id, 1, 3_000e18);
        (, uint256 shares) = market.positionOf(id, 1, holder(BOB));
        vm.assertLe(shares, 201e18);
        vm.assertLe(201e18 - 3_001, shares);
    }

    function test_NothingOfNothingIsNothing() public pure {
        vm.assertEq(MarketShares.portionDown(5, 0, 0), 0);
        vm.assertEq(MarketShares.portionDown(0, 5, 7), 0);
        vm.assertEq(MarketShares.portionDown(5, 3, 7), 2);
    }

    function test_SharesAndPricesHaveAnEnd() public pure {
        vm.assertEq(MarketShares.mostAdded(100, 5), 15);
        vm.assertEq(MarketShares.mostAdded(type(uint96).max, type(uint96).max), type(uint96).max);
        vm.assertEq(MarketShares.toPriceUp(0), type(uint256).max);
        vm.assertEq(MarketShares.toPriceUp(1e18), 1e18);
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

    function test_QuotesWhatABetPaysIfNothingFollows() public {
        uint256 id = _secondRound();
        (uint256 shares, uint256 payout) = market.quote(id, 1, 4e18);
        vm.assertEq(betAs(CAROL, id, 1, 4e18), shares);
        finishGame(id);
        vm.assertEq(market.claimableOf(id, holder(CAROL)), payout);
    }

    function test_StakesStayWithinTheirWord() public {
        uint256 id = openGame(2, 2);
        uint256 most = type(uint96).max;
        token.mint(ALICE, most);
        betAs(ALICE, id, 0, most - 5);
        vm.expectRevert(abi.encodeWithSelector(M.PredictionMarket_TooLarge.selector, MIN_BET, 5));
        vm.prank(BOB);
        market.bet(id, 0, 0, MIN_BET);
        nextRound(id);
        market.quote(id, 0, 5);
        market.quote(id, 1, most);
        uint256[2] memory stakes = [most + 1, type(uint256).max];
        for (uint256 i = 0; i < 2; ++i) {
            vm.expectRevert(abi.encodeWithSelector(M.PredictionMarket_TooLarge.selector, stakes[i], most));
            market.quote(id, 1, stakes[i]);
        }
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
        expectPhaseRefusal(id, G.Phase.AwaitingClue);
        vm.prank(ALICE);
        market.bet(id, 0, 1, 1e18);
        revealNext(id);
        expectPhaseRefusal(id, G.Phase.Waiting);
        vm.prank(ALICE);
        market.bet(id, 1, 1, 1e18);
    }

    function test_RevertWhen_TheJudgeBets() public {
        uint256 id = openGame(2, 2);
        vm.expectRevert(abi.encodeWithSelector(M.PredictionMarket_JudgeCannotBet.selector, JUDGE));
        vm.prank(JUDGE);
        market.bet(id, 0, 1, 1e18);
    }

    function test_RevertWhen_ThereIsNoSuchChoice() public {
        uint256 id = openGame(2, 2);
        bytes memory refusal = abi.encodeWithSelector(G.PredictionMarket_UnknownChoice.selector, 2, 2);
        vm.expectRevert(refusal);
        vm.prank(ALICE);
        market.bet(id, 0, 2, 1e18);
        vm.expectRevert(refusal);
        market.priceOf(id, 0, 2);
        vm.expectRevert(refusal);
        market.quote(id, 2, 1e18);
    }

    function test_RevertWhen_TheBetIsTooSmall() public {
        uint256 id = openGame(2, 2);
        vm.expectRevert(abi.encodeWithSelector(M.PredictionMarket_BelowMinimum.selector, MIN_BET - 1, MIN_BET));
        vm.prank(ALICE);
        market.bet(id, 0, 1, MIN_BET - 1);
        betAs(ALICE, id, 1, MIN_BET);
    }

    function test_RevertWhen_TheBetBuysNothing() public {
        G.GameConfig memory config = termsOf(2, 2, ANSWER);
        config.minBet = 1;
        vm.prank(JUDGE);
        uint256 id = market.createGame(config, "");
        nextRound(id);
        vm.expectRevert(abi.encodeWithSelector(M.PredictionMarket_ZeroShares.selector, 1, 1));
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
        market.priceOf(id, 2, 0);
        revealNext(id);
        vm.expectRevert(abi.encodeWithSelector(M.PredictionMarket_RoundNotOpened.selector, 2, 2));
        market.priceOf(id, 2, 0);
    }

    /// @dev Alice bets in one round and Bob as much in the same or a later one, among three that bet anything at any time.
    function testFuzz_TheEarlierOfTwoEqualBetsNeverPaysLess(uint256 seed, uint96 stake) public {
        uint256 id = openGame(5, 3);
        stake = uint96(bound(stake, MIN_BET, 1e24));
        uint256 early = _next(seed) % 5;
        uint256 late = early + (_next(~seed) % (5 - early));
        for (uint256 round = 0; round < 5; ++round) {
            uint256 at = _next(seed ^ (round << 8)) % 4;
            for (uint256 i = 0; i < 4; ++i) {
                if (i == at && round == early) betAs(ALICE, id, ANSWER, stake);
                if (i != at) _betSomething(id, _next(seed ^ (round << 16) ^ i));
            }
            if (round == late && !_bets(BOB, id, ANSWER, stake)) return; // It would buy nothing at all.
            if (round != 4) nextRound(id);
        }
        finishGame(id);
        (uint256 first, uint256 second) = (market.claimableOf(id, holder(ALICE)), market.claimableOf(id, holder(BOB)));
        vm.assertLe(second, first);
        if (early == late) vm.assertEq(first, second);
        vm.assertLe(stake, second);
    }

    function _betSomething(uint256 id, uint256 draw) internal {
        // From the least bet to 2^70 tokens, on the winner more often than not.
        uint256 stake = uint256(MIN_BET) << bound(draw >> 8, 0, 36);
        uint8 choice = draw % 2 == 0 ? ANSWER : uint8((draw >> 1) % 3);
        address account = draw % 5 == 0 ? OWNER : CAROL;
        token.mint(account, stake);
        _bets(account, id, choice, stake);
    }

    function _bets(address account, uint256 id, uint8 choice, uint256 stake) internal returns (bool taken) {
        token.mint(account, stake);
        uint8 round = market.gameOf(id).round;
        vm.prank(account);
        try market.bet(id, round, choice, stake) {
            return true;
        } catch {
            return false;
        }
    }

    function _next(uint256 seed) internal pure returns (uint256 drawn) {
        return uint256(keccak256(abi.encode(seed)));
    }

    /// @dev Alice has 10 on choice 1, Bob 5 on choice 0; round 1 of three takes bets.
    function _secondRound() internal returns (uint256 id) {
        id = openGame(3, 2);
        betAs(ALICE, id, 1, 10e18);
        betAs(BOB, id, 0, 5e18);
        nextRound(id);
    }
}
