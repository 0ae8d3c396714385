// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IRewardVotes} from "../src/interfaces/IRewardVotes.sol";
import {SwarmFixture} from "./SwarmFixture.sol";

contract SeatsTest is SwarmFixture {
    address internal constant ALICE = address(0xA11CE);

    function test_NamesItsParts() public view {
        vm.assertEq(address(votes.peerRegistry()), address(registry));
        vm.assertEq(address(votes.rounds()), address(rounds));
        vm.assertEq(address(votes.rolloutCommitments()), address(commitments));
        vm.assertEq(votes.MAX_SEATS(), 14);
        vm.assertEq(votes.UNAVAILABLE(), 65535);
    }

    function test_SeatsFromTheNextRoundOn() public {
        enterRound(4);
        vm.expectEmit(address(votes));
        emit IRewardVotes.EvaluatorAdmitted(bytes32("e"), 5);
        votes.admitEvaluator(bytes32("e"));
        vm.assertEq(votes.seatsAt(4).length, 0);
        vm.assertEq(votes.seatsAt(5).length, 1);
        vm.assertEq(votes.seatsAt(999)[0], bytes32("e"));
    }

    function test_SeatsInRoundZeroBeforeTheStart() public {
        vm.warp(START - 1);
        votes.admitEvaluator(bytes32("e"));
        vm.assertEq(votes.seatsAt(0).length, 1);
    }

    function test_UnseatsFromTheNextRoundOn() public {
        votes.admitEvaluator(bytes32("a"));
        votes.admitEvaluator(bytes32("b"));
        votes.admitEvaluator(bytes32("c"));
        enterRound(4);
        vm.expectEmit(address(votes));
        emit IRewardVotes.EvaluatorRemoved(bytes32("a"), 5);
        votes.removeEvaluator(bytes32("a"));
        vm.assertEq(votes.seatsAt(4).length, 3);
        vm.assertEq(votes.seatsAt(5).length, 2);
        vm.assertEq(votes.seatsAt(5)[0], bytes32("c"));
        vm.assertEq(votes.seatsAt(5)[1], bytes32("b"));
        votes.removeEvaluator(bytes32("c"));
        votes.removeEvaluator(bytes32("b"));
        vm.assertEq(votes.seatsAt(5).length, 0);
        votes.admitEvaluator(bytes32("a"));
        vm.assertEq(votes.seatsAt(5).length, 1);
        vm.assertEq(votes.seatsAt(4).length, 3);
    }

    function test_RevertWhen_AlreadySeated() public {
        votes.admitEvaluator(bytes32("e"));
        enterRound(4);
        vm.expectRevert(abi.encodeWithSelector(IRewardVotes.RewardVotes_AlreadySeated.selector, bytes32("e")));
        votes.admitEvaluator(bytes32("e"));
    }

    function test_RevertWhen_RemovingOneWithoutASeat() public {
        vm.expectRevert(abi.encodeWithSelector(IRewardVotes.RewardVotes_NotSeated.selector, bytes32("e"), 1));
        votes.removeEvaluator(bytes32("e"));
    }

    function test_RevertWhen_NoSeatIsLeft() public {
        for (uint256 i = 0; i < 14; ++i) votes.admitEvaluator(bytes32(i));
        vm.expectRevert(abi.encodeWithSelector(IRewardVotes.RewardVotes_NoSeatLeft.selector, 14));
        votes.admitEvaluator(bytes32(uint256(14)));
    }

    function test_RevertWhen_SeatingWithoutTheRole() public {
        bytes32 role = votes.EVALUATOR_ADMIN_ROLE();
        expectMissingRole(ALICE, role);
        vm.prank(ALICE);
        votes.admitEvaluator(bytes32("e"));
        expectMissingRole(ALICE, role);
        vm.prank(ALICE);
        votes.removeEvaluator(bytes32("e"));
    }
}
