// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMarketGames as G} from "../../src/interfaces/IMarketGames.sol";
import {MarketFixture} from "./MarketFixture.sol";
import {Tree} from "./Tree.sol";

contract RevealsTest is MarketFixture {
    function test_LeavesBindChainMarketJudgeAndPlace() public view {
        bytes32 body = keccak256(
            abi.encode(block.chainid, address(market), JUDGE, uint8(2), keccak256("clue C"), saltOf(2))
        );
        vm.assertEq(clueLeaf(JUDGE, 2, "clue C", saltOf(2)), keccak256(abi.encode(body)));
        body = keccak256(abi.encode(block.chainid, address(market), JUDGE, uint8(3), uint256(1), saltOf(3)));
        vm.assertEq(answerLeaf(JUDGE, 3, 1, saltOf(3)), keccak256(abi.encode(body)));
    }

    function test_ProvesAClue() public {
        uint256 id = openGame(2, 2);
        vm.warp(START + BETTING);
        bytes32[] memory proof = Tree.proof(leavesOf(JUDGE, 2, ANSWER), 0);
        vm.expectEmit(address(market));
        emit G.ClueRevealed(id, 0, "clue A");
        // Anyone may show what the Judge committed to.
        vm.prank(ALICE);
        market.revealClue(id, "clue A", saltOf(0), proof);
        vm.assertEq(market.gameOf(id).cluesRevealed, 1);
    }

    function test_ProvesTheAnswer() public {
        uint256 id = openGame(1, 2);
        revealNext(id);
        bytes32[] memory proof = Tree.proof(leavesOf(JUDGE, 1, ANSWER), 1);
        vm.expectEmit(address(market));
        emit G.AnswerProven(id, ANSWER);
        market.proveAnswer(id, ANSWER, saltOf(1), proof);
        G.GameView memory game = market.gameOf(id);
        vm.assertTrue(game.answered);
        vm.assertEq(game.answer, ANSWER);
        vm.assertEq(game.answeredAtSec, block.timestamp);
    }

    function test_RevertWhen_AClueIsNotTheOneCommittedTo() public {
        uint256 id = openGame(2, 2);
        vm.warp(START + BETTING);
        bytes32[] memory leaves = leavesOf(JUDGE, 2, ANSWER);
        bytes32 leaf = clueLeaf(JUDGE, 0, "another", saltOf(0));
        vm.expectRevert(abi.encodeWithSelector(G.PredictionMarket_NotCommitted.selector, leaf, Tree.root(leaves)));
        market.revealClue(id, "another", saltOf(0), Tree.proof(leaves, 0));
        // The next clue instead of this one.
        leaf = clueLeaf(JUDGE, 0, clueText(1), saltOf(1));
        vm.expectRevert(abi.encodeWithSelector(G.PredictionMarket_NotCommitted.selector, leaf, Tree.root(leaves)));
        market.revealClue(id, clueText(1), saltOf(1), Tree.proof(leaves, 1));
    }

    function test_RevertWhen_TheAnswerIsNotTheOneCommittedTo() public {
        uint256 id = openGame(1, 2);
        revealNext(id);
        bytes32[] memory leaves = leavesOf(JUDGE, 1, ANSWER);
        bytes32 leaf = answerLeaf(JUDGE, 1, 0, saltOf(1));
        vm.expectRevert(abi.encodeWithSelector(G.PredictionMarket_NotCommitted.selector, leaf, Tree.root(leaves)));
        market.proveAnswer(id, 0, saltOf(1), Tree.proof(leaves, 1));
        vm.expectRevert(abi.encodeWithSelector(G.PredictionMarket_UnknownChoice.selector, 2, 2));
        market.proveAnswer(id, 2, saltOf(1), Tree.proof(leaves, 1));
    }

    function test_RevertWhen_ARootIsCopiedByAnotherJudge() public {
        G.GameConfig memory config = termsOf(1, 2, ANSWER);
        vm.prank(BOB);
        uint256 id = market.createGame(config, "");
        vm.warp(START + BETTING);
        bytes32[] memory leaves = leavesOf(JUDGE, 1, ANSWER);
        bytes32 leaf = clueLeaf(BOB, 0, clueText(0), saltOf(0));
        vm.expectRevert(abi.encodeWithSelector(G.PredictionMarket_NotCommitted.selector, leaf, Tree.root(leaves)));
        market.revealClue(id, clueText(0), saltOf(0), Tree.proof(leaves, 0));
    }

    function test_RevertWhen_AClueComesBeforeItsTimeOrAfter() public {
        uint256 id = openGame(2, 2);
        bytes32[] memory proof = Tree.proof(leavesOf(JUDGE, 2, ANSWER), 0);
        vm.warp(START + BETTING - 1);
        expectPhaseRefusal(id, G.Phase.Betting);
        market.revealClue(id, clueText(0), saltOf(0), proof);
        vm.warp(START + BETTING + REVEAL);
        expectPhaseRefusal(id, G.Phase.ResolutionDue);
        market.revealClue(id, clueText(0), saltOf(0), proof);
    }

    function test_RevertWhen_AClueIsShownTwice() public {
        uint256 id = openGame(2, 2);
        revealNext(id);
        bytes32[] memory proof = Tree.proof(leavesOf(JUDGE, 2, ANSWER), 0);
        expectPhaseRefusal(id, G.Phase.Waiting);
        market.revealClue(id, clueText(0), saltOf(0), proof);
    }

    function test_RevertWhen_TheAnswerComesBeforeTheLastClueOrTwice() public {
        uint256 id = openGame(1, 2);
        bytes32[] memory proof = Tree.proof(leavesOf(JUDGE, 1, ANSWER), 1);
        vm.warp(START + BETTING);
        expectPhaseRefusal(id, G.Phase.AwaitingClue);
        market.proveAnswer(id, ANSWER, saltOf(1), proof);
        answerGame(id);
        expectPhaseRefusal(id, G.Phase.Disputable);
        market.proveAnswer(id, ANSWER, saltOf(1), proof);
    }

    function test_RevertWhen_AClueIsTooLong() public {
        uint256 id = openGame(1, 2);
        vm.warp(START + BETTING);
        bytes32[] memory proof = new bytes32[](0);
        vm.expectRevert(abi.encodeWithSelector(G.PredictionMarket_TextTooLong.selector, 4_097, 4_096));
        market.revealClue(id, string(new bytes(4_097)), 0, proof);
    }
}
