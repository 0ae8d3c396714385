// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMarketGames as G} from "../../src/interfaces/IMarketGames.sol";
import {MarketLeaf} from "../../src/libraries/MarketLeaf.sol";
import {MarketFixture} from "./MarketFixture.sol";
import {Spine} from "./Spine.sol";

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
        bytes32[] memory proof = Spine.proof(leavesOf(JUDGE, 2, ANSWER), 0);
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
        bytes32[] memory proof = Spine.proof(leavesOf(JUDGE, 1, ANSWER), 1);
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
        vm.expectRevert(abi.encodeWithSelector(G.PredictionMarket_NotCommitted.selector, leaf, Spine.root(leaves)));
        market.revealClue(id, "another", saltOf(0), Spine.proof(leaves, 0));
        // The next clue instead of this one.
        leaf = clueLeaf(JUDGE, 0, clueText(1), saltOf(1));
        vm.expectRevert(abi.encodeWithSelector(G.PredictionMarket_NotCommitted.selector, leaf, Spine.root(leaves)));
        market.revealClue(id, clueText(1), saltOf(1), Spine.proof(leaves, 1));
    }

    function test_RevertWhen_TheAnswerIsNotTheOneCommittedTo() public {
        uint256 id = openGame(1, 2);
        revealNext(id);
        bytes32[] memory leaves = leavesOf(JUDGE, 1, ANSWER);
        bytes32 leaf = answerLeaf(JUDGE, 1, 0, saltOf(1));
        vm.expectRevert(abi.encodeWithSelector(G.PredictionMarket_NotCommitted.selector, leaf, Spine.root(leaves)));
        market.proveAnswer(id, 0, saltOf(1), Spine.proof(leaves, 1));
        vm.expectRevert(abi.encodeWithSelector(G.PredictionMarket_UnknownChoice.selector, 2, 2));
        market.proveAnswer(id, 2, saltOf(1), Spine.proof(leaves, 1));
    }

    /// @dev Sorted pairs and proofs of any length would take both answers of each of these roots.
    function test_RevertWhen_ARootHoldsAnAnswerInPlaceOfAClue() public {
        bytes32 clue = clueLeaf(JUDGE, 0, clueText(0), saltOf(0));
        (bytes32 first, bytes32 second) = _twoAnswers();
        bytes32[2] memory roots = [Spine.pair(Spine.pair(clue, first), second), Spine.pair(first, second)];
        bytes32[] memory proof = new bytes32[](1);
        proof[0] = second;
        for (uint256 i = 0; i < 2; ++i) {
            vm.warp(START);
            uint256 id = _openWith(1, roots[i]);
            vm.warp(START + BETTING);
            vm.expectRevert(abi.encodeWithSelector(G.PredictionMarket_NotCommitted.selector, clue, roots[i]));
            market.revealClue(id, clueText(0), saltOf(0), proof);
        }
    }

    function test_RevertWhen_TwoAnswersFollowTheLastClue() public {
        bytes32 clue = clueLeaf(JUDGE, 0, clueText(0), saltOf(0));
        (bytes32 first, bytes32 second) = _twoAnswers();
        bytes32 both = Spine.pair(first, second);
        bytes32 root = Spine.pair(clue, both);
        uint256 id = _openWith(1, root);
        vm.warp(START + BETTING);
        bytes32[] memory proof = new bytes32[](1);
        proof[0] = both;
        market.revealClue(id, clueText(0), saltOf(0), proof);
        proof = new bytes32[](2);
        (proof[0], proof[1]) = (second, clue);
        vm.expectRevert(abi.encodeWithSelector(G.PredictionMarket_NotCommitted.selector, first, root));
        market.proveAnswer(id, 0, saltOf(1), proof);
        proof[0] = first;
        vm.expectRevert(abi.encodeWithSelector(G.PredictionMarket_NotCommitted.selector, second, root));
        market.proveAnswer(id, 1, saltOf(2), proof);
    }

    /// @dev Such a Judge has no answer: what it keeps is nothing.
    function test_AJudgeThatCommitsToNoAnswerLosesItsBond() public {
        bytes32 clue = clueLeaf(JUDGE, 0, clueText(0), saltOf(0));
        uint256 id = _openWith(1, Spine.pair(clue, bytes32("two answers")));
        betAs(ALICE, id, 0, 1e18);
        vm.warp(START + BETTING);
        bytes32[] memory proof = new bytes32[](1);
        proof[0] = "two answers";
        market.revealClue(id, clueText(0), saltOf(0), proof);
        vm.warp(START + BETTING + REVEAL);
        vm.prank(ALICE);
        vm.assertEq(market.claim(id), 1e18 + BOND);
        vm.assertEq(market.creditOf(JUDGE), 0);
    }

    /// @dev Of all nodes of a root only one verifies for an index, with siblings in either order.
    function testFuzz_EachIndexHasOnePlace(
        uint8 rounds,
        uint8 index,
        uint256 draw,
        bytes32[33] memory drawn
    ) public view {
        rounds = uint8(bound(rounds, 1, 32));
        index = uint8(bound(index, 0, rounds));
        bytes32[] memory leaves = new bytes32[](uint256(rounds) + 1);
        for (uint256 i = 0; i < leaves.length; ++i) leaves[i] = keccak256(abi.encode(drawn[i], i));
        bytes32 root = Spine.root(leaves);
        bool isAnswer = index == rounds;
        bytes32[] memory proof = Spine.proof(leaves, index);
        vm.assertEq(this.rootOver(isAnswer, leaves[index], proof), root);
        for (uint256 i = 0; i < leaves.length; ++i) {
            bytes32 rest = i < rounds ? Spine.proof(leaves, i)[0] : root;
            vm.assertTrue(this.rootOver(isAnswer, leaves[i], proof) != root || i == index);
            // The answer is what follows the last clue.
            vm.assertTrue(this.rootOver(isAnswer, rest, proof) != root || (isAnswer && i + 1 == rounds));
        }
        // The two nodes of one pair, exchanged: what a sorted pair accepts.
        uint256 level = draw % proof.length;
        bytes32 sibling = proof[level];
        proof[level] = leaves[index];
        vm.assertTrue(this.rootOver(isAnswer, sibling, proof) != root);
    }

    function rootOver(bool isAnswer, bytes32 leaf, bytes32[] calldata proof) external pure returns (bytes32 root) {
        return isAnswer ? MarketLeaf.rootOverAnswer(leaf, proof) : MarketLeaf.rootOverClue(leaf, proof);
    }

    function test_RevertWhen_ARootIsCopiedByAnotherJudge() public {
        G.GameConfig memory config = termsOf(1, 2, ANSWER);
        vm.prank(BOB);
        uint256 id = market.createGame(config, "");
        vm.warp(START + BETTING);
        bytes32[] memory leaves = leavesOf(JUDGE, 1, ANSWER);
        bytes32 leaf = clueLeaf(BOB, 0, clueText(0), saltOf(0));
        vm.expectRevert(abi.encodeWithSelector(G.PredictionMarket_NotCommitted.selector, leaf, Spine.root(leaves)));
        market.revealClue(id, clueText(0), saltOf(0), Spine.proof(leaves, 0));
    }

    function test_RevertWhen_AClueComesBeforeItsTimeOrAfter() public {
        uint256 id = openGame(2, 2);
        bytes32[] memory proof = Spine.proof(leavesOf(JUDGE, 2, ANSWER), 0);
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
        bytes32[] memory proof = Spine.proof(leavesOf(JUDGE, 2, ANSWER), 0);
        expectPhaseRefusal(id, G.Phase.Waiting);
        market.revealClue(id, clueText(0), saltOf(0), proof);
    }

    function test_RevertWhen_TheAnswerComesBeforeTheLastClueOrTwice() public {
        uint256 id = openGame(1, 2);
        bytes32[] memory proof = Spine.proof(leavesOf(JUDGE, 1, ANSWER), 1);
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

    function _twoAnswers() internal view returns (bytes32 first, bytes32 second) {
        return (answerLeaf(JUDGE, 1, 0, saltOf(1)), answerLeaf(JUDGE, 1, 1, saltOf(2)));
    }

    function _openWith(uint8 rounds, bytes32 root) internal returns (uint256 id) {
        G.GameConfig memory config = termsOf(rounds, 2, ANSWER);
        config.root = root;
        vm.prank(JUDGE);
        return market.createGame(config, "");
    }
}
