// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMarketGames as G} from "../../src/interfaces/IMarketGames.sol";
import {IPredictionMarket as M} from "../../src/interfaces/IPredictionMarket.sol";
import {MarketFixture} from "./MarketFixture.sol";

contract GamesTest is MarketFixture {
    function test_NamesItsParts() public view {
        vm.assertEq(address(market.token()), address(token));
        vm.assertEq(address(market.seats()), address(book));
        vm.assertEq(address(market.rounds()), address(book));
        vm.assertEq(address(market.peerRegistry()), address(book));
        vm.assertEq(market.peerFacade(), address(prg));
        vm.assertEq(market.minDisputeSec(), DISPUTE);
    }

    function test_OpensAGameAndTakesTheBond() public {
        G.GameConfig memory config = termsOf(3, 4, ANSWER);
        vm.expectEmit(address(market));
        emit G.GameCreated(0, JUDGE, config, "which?");
        vm.prank(JUDGE);
        vm.assertEq(market.createGame(config, "which?"), 0);

        vm.assertEq(market.gameCount(), 1);
        vm.assertEq(token.balanceOf(address(market)), BOND);
        G.GameView memory game = market.gameOf(0);
        vm.assertEq(keccak256(abi.encode(game.config)), keccak256(abi.encode(config)));
        vm.assertEq(game.judge, JUDGE);
        vm.assertEq(game.totalStake, 0);
        vm.assertFalse(game.answered);
    }

    function test_WaitsForItsStart() public {
        G.GameConfig memory config = termsOf(2, 2, ANSWER);
        config.startsAtSec += 60;
        vm.prank(JUDGE);
        market.createGame(config, "");
        vm.assertTrue(market.phaseOf(0) == G.Phase.Waiting);
        vm.assertEq(market.gameOf(0).round, 0);
        expectPhaseRefusal(0, G.Phase.Waiting);
        vm.prank(ALICE);
        market.bet(0, 0, 0, 1e18);
        vm.warp(START + 60);
        vm.assertTrue(market.phaseOf(0) == G.Phase.Betting);
    }

    function test_GoesThroughItsPhases() public {
        vm.assertTrue(market.phaseOf(0) == G.Phase.Unknown);
        uint256 id = openGame(2, 2);
        vm.assertTrue(market.phaseOf(id) == G.Phase.Betting);
        vm.warp(START + BETTING - 1);
        vm.assertTrue(market.phaseOf(id) == G.Phase.Betting);
        vm.warp(START + BETTING);
        vm.assertTrue(market.phaseOf(id) == G.Phase.AwaitingClue);
        revealNext(id);
        vm.assertTrue(market.phaseOf(id) == G.Phase.Waiting);
        vm.warp(START + BETTING + REVEAL);
        vm.assertTrue(market.phaseOf(id) == G.Phase.Betting);
        vm.assertEq(market.gameOf(id).round, 1);
        revealNext(id);
        vm.assertTrue(market.phaseOf(id) == G.Phase.AwaitingAnswer);
        answerGame(id);
        vm.assertTrue(market.phaseOf(id) == G.Phase.Disputable);
        vm.warp(block.timestamp + DISPUTE);
        vm.assertTrue(market.phaseOf(id) == G.Phase.ResolutionDue);
        market.resolve(id);
        // Nobody bet, so nobody won.
        vm.assertTrue(market.phaseOf(id) == G.Phase.Void);
        vm.assertEq(market.gameOf(id).round, 1);
    }

    function test_IsOverWhenADeadlineIsMissed() public {
        uint256 id = openGame(2, 2);
        vm.warp(START + BETTING + REVEAL - 1);
        vm.assertTrue(market.phaseOf(id) == G.Phase.AwaitingClue);
        vm.warp(START + BETTING + REVEAL);
        vm.assertTrue(market.phaseOf(id) == G.Phase.ResolutionDue);
        uint256 other = openGame(1, 2);
        revealNext(other);
        vm.assertTrue(market.phaseOf(other) == G.Phase.AwaitingAnswer);
        vm.warp(block.timestamp + REVEAL);
        vm.assertTrue(market.phaseOf(other) == G.Phase.ResolutionDue);
    }

    function test_RevertWhen_ATermIsOutOfRange() public {
        G.GameConfig memory good = termsOf(3, 4, ANSWER);
        G.GameConfig memory bad = _copy(good);
        bad.roundCount = 0;
        _expectRefusal(bad, "roundCount", 0, 1, 32);
        bad.roundCount = 33;
        _expectRefusal(bad, "roundCount", 33, 1, 32);
        bad = _copy(good);
        bad.choiceCount = 1;
        _expectRefusal(bad, "choiceCount", 1, 2, 16);
        bad.choiceCount = 17;
        _expectRefusal(bad, "choiceCount", 17, 2, 16);
        bad = _copy(good);
        bad.startsAtSec = START - 1;
        _expectRefusal(bad, "startsAtSec", START - 1, START, START + 30 days);
        bad.startsAtSec = START + 30 days + 1;
        _expectRefusal(bad, "startsAtSec", START + 30 days + 1, START, START + 30 days);
        bad = _copy(good);
        bad.bettingSec = 0;
        _expectRefusal(bad, "bettingSec", 0, 1, 30 days);
        bad.bettingSec = 30 days + 1;
        _expectRefusal(bad, "bettingSec", 30 days + 1, 1, 30 days);
        bad = _copy(good);
        bad.revealSec = 0;
        _expectRefusal(bad, "revealSec", 0, 1, 30 days);
        bad = _copy(good);
        bad.disputeSec = DISPUTE - 1;
        _expectRefusal(bad, "disputeSec", DISPUTE - 1, DISPUTE, 30 days);
        bad.disputeSec = 30 days + 1;
        _expectRefusal(bad, "disputeSec", 30 days + 1, DISPUTE, 30 days);
        bad = _copy(good);
        bad.minBet = 0;
        _expectRefusal(bad, "minBet", 0, 1, type(uint96).max);
        bad = _copy(good);
        bad.freeShares = MIN_BET - 1;
        _expectRefusal(bad, "freeShares", MIN_BET - 1, MIN_BET, type(uint96).max);
        bad = _copy(good);
        bad.bond = 10 * MIN_BET - 1;
        _expectRefusal(bad, "bond", 10 * MIN_BET - 1, 10 * MIN_BET, type(uint112).max);
        bad = _copy(good);
        bad.feeBps = 501;
        _expectRefusal(bad, "feeBps", 501, 0, 500);
    }

    function test_AcceptsTermsAtTheirBounds() public {
        G.GameConfig memory config = termsOf(32, 16, ANSWER);
        (config.bettingSec, config.revealSec, config.disputeSec) = (30 days, 30 days, 30 days);
        (config.minBet, config.freeShares, config.bond, config.feeBps) = (1, 1, 10, 500);
        config.startsAtSec += 30 days;
        vm.prank(JUDGE);
        market.createGame(config, string(new bytes(2_048)));
    }

    function test_RevertWhen_DetailsAreTooLong() public {
        G.GameConfig memory config = termsOf(1, 2, ANSWER);
        vm.expectRevert(abi.encodeWithSelector(G.PredictionMarket_TextTooLong.selector, 2_049, 2_048));
        vm.prank(JUDGE);
        market.createGame(config, string(new bytes(2_049)));
    }

    function test_RevertWhen_TheBondIsNotPaid() public {
        G.GameConfig memory config = termsOf(1, 2, ANSWER);
        address poor = address(0x9009);
        vm.expectRevert(
            abi.encodeWithSignature("ERC20InsufficientAllowance(address,uint256,uint256)", address(market), 0, BOND)
        );
        vm.prank(poor);
        market.createGame(config, "");
    }

    function test_RevertWhen_TheGameIsUnknown() public {
        bytes memory unknown = abi.encodeWithSelector(G.PredictionMarket_UnknownGame.selector, 9, 0);
        bytes32[] memory proof = new bytes32[](0);
        vm.expectRevert(unknown);
        market.gameOf(9);
        vm.expectRevert(unknown);
        market.bet(9, 0, 0, 1);
        vm.expectRevert(unknown);
        market.revealClue(9, "", 0, proof);
        vm.expectRevert(unknown);
        market.proveAnswer(9, 0, 0, proof);
        vm.expectRevert(unknown);
        market.cancel(9);
        vm.expectRevert(unknown);
        market.dispute(9);
        vm.expectRevert(unknown);
        market.drawCommittee(9);
        vm.expectRevert(unknown);
        market.commitVerdict(9, 0, 0);
        vm.expectRevert(unknown);
        market.revealVerdict(9, 0, 0, 0);
        vm.expectRevert(unknown);
        market.resolve(9);
        vm.expectRevert(unknown);
        market.claim(9);
        vm.expectRevert(unknown);
        market.claimableOf(9, 0);
        vm.expectRevert(unknown);
        market.priceOf(9, 0, 0);
    }

    function test_RevertWhen_AnotherThanTheFaceActsForPeers() public {
        G.GameConfig memory config = termsOf(1, 2, ANSWER);
        bytes memory refusal = abi.encodeWithSelector(M.PredictionMarket_NotPeerFacade.selector, ALICE);
        vm.expectRevert(refusal);
        vm.prank(ALICE);
        market.createGameFor(BOB, config);
        vm.expectRevert(refusal);
        vm.prank(ALICE);
        market.betFor(BOB, holder(BOB), 0, 0, 0, 1e18);
        vm.expectRevert(refusal);
        vm.prank(ALICE);
        market.claimFor(ALICE, holder(BOB), 0);
    }

    function _expectRefusal(
        G.GameConfig memory config,
        string memory term,
        uint256 value,
        uint256 low,
        uint256 high
    ) internal {
        vm.expectRevert(abi.encodeWithSelector(G.PredictionMarket_TermOutOfRange.selector, term, value, low, high));
        vm.prank(JUDGE);
        market.createGame(config, "");
    }

    function _copy(G.GameConfig memory config) internal pure returns (G.GameConfig memory copy) {
        return abi.decode(abi.encode(config), (G.GameConfig));
    }
}
